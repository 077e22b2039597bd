// Command bench measures what the linter costs on real modules, beside an
// analyzer that does nothing and beside staticcheck's analyzers, all on the same
// runner:
//
//	go run ./internal/bench [-runs n] [path@version[/pattern]...]
//
// A pattern names the packages that are checked; without one it is all of them.
// Without arguments the modules are those that docs/results.md speaks of;
// `go run ./internal/bench > internal/bench/measured.txt` and then
// `go run ./internal/corpus -results` bring the numbers there.
//
// Every run is a process of its own, so that processor time and peak memory are
// of that run alone. A run is cold, with an empty cache of findings, or warm,
// right after. The go command's cache is filled before: compiling the module is
// nobody's fault here. Runs of all kinds take turns, and medians are compared.
// Memory is what the garbage collector leaves it to be, and differs from run to
// run by a factor: its lowest and highest value are printed, too.
//
// The processor time is that of the process itself. The go command, which it
// asks for the packages, is counted apart: all kinds pay for it alike, and it
// would make a ratio look better than it is.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/resiliencevet/resiliencevet/internal/corpus/revision"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		stop()
		os.Exit(1)
	}
}

// subject is what is measured on: a module and a pattern of its packages,
// relative to its root.
type subject struct{ module, pattern string }

// subjects are measured if none is named.
func subjects() []string {
	return []string{
		"github.com/tmc/langchaingo@v0.1.14",
		"github.com/prometheus/prometheus@v0.316.0/storage/remote/...",
	}
}

// parseSubject reads path@version/pattern.
func parseSubject(s string) (subject, error) {
	path, rest, ok := strings.Cut(s, "@")
	version, pattern, _ := strings.Cut(rest, "/")
	if !ok || path == "" || version == "" {
		return subject{}, fmt.Errorf("%q is not of the form path@version or path@version/pattern", s)
	}
	if pattern == "" {
		pattern = "..."
	}
	return subject{path + "@" + version, "./" + pattern}, nil
}

// run is the program: the parent, or with -child one run.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	runs := flags.Int("runs", 3, "measure everything `n` times and take medians")
	child := flags.String("child", "", "do one run of this `kind` in the working directory; for bench itself")
	cache := flags.String("cache", "", "the `directory` of the run's cache; for bench itself")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return err
	}
	switch {
	case *child != "":
		return runChild(kind(*child), *cache, flags.Args(), stdout)
	case *runs < 1:
		return fmt.Errorf("-runs is %d, but at least one is needed", *runs)
	}
	names := flags.Args()
	if len(names) == 0 {
		names = subjects()
	}
	// A copy of the code without its history can be measured as well.
	linter, err := revision.Linter()
	if err != nil {
		linter = "of an unknown commit"
	}
	dir, err := os.MkdirTemp("", "resiliencevet-bench")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // what is left is in the system's own temporary directory
	for i, name := range names {
		on, err := parseSubject(name)
		if err != nil {
			return err
		}
		b := &bench{work: filepath.Join(dir, strconv.Itoa(i)), subject: on, progress: stderr}
		if err := b.prepare(ctx); err != nil {
			return err
		}
		table, err := b.measure(ctx, *runs)
		if err != nil {
			return err
		}
		table.linter = linter
		if i > 0 {
			fmt.Fprintln(stdout)
		}
		if err := table.write(stdout, strings.TrimSuffix(name, "/...")); err != nil {
			return err
		}
	}
	return nil
}
