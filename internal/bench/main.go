// Command bench measures what the linter costs on a real module, beside an
// analyzer that does nothing on the same runner:
//
//	go run ./internal/bench [-module path@version] [-runs n]
//
// Every run is a process of its own, so that processor time and peak memory are
// of that run alone. A run is cold, with an empty cache of findings, or warm,
// right after. The go command's cache is filled before: compiling the module is
// nobody's fault here. Runs of both kinds take turns, and medians are compared.
//
// The processor time is that of the process itself. The go command, which it
// asks for the packages, is counted apart: both kinds pay for it alike, and it
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

// run is the program: the parent, or with -child one run.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	module := flags.String("module", "github.com/tmc/langchaingo@v0.1.14", "measure on this `module`, all packages without tests")
	runs := flags.Int("runs", 3, "measure everything `n` times and take medians")
	child := flags.String("child", "", "do one run of this `kind` in the working directory; for bench itself")
	cache := flags.String("cache", "", "the `directory` of the run's cache; for bench itself")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return err
	}
	switch {
	case flags.NArg() > 0:
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case *child != "":
		return runChild(kind(*child), *cache, stdout)
	case *runs < 1:
		return fmt.Errorf("-runs is %d, but at least one is needed", *runs)
	}
	dir, err := os.MkdirTemp("", "resiliencevet-bench")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // what is left is in the system's own temporary directory
	b := &bench{work: dir, progress: stderr}
	if err := b.prepare(ctx, *module); err != nil {
		return err
	}
	table, err := b.measure(ctx, *runs)
	if err != nil {
		return err
	}
	return table.write(stdout, *module)
}
