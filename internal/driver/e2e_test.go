package driver_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite the expected output in the scripts")

// TestScripts runs the real programs, and the real go vet, on small modules.
// The scripts need no network. They share the go command's cache with the
// user, and a cache of findings with each other unless they are about it.
func TestScripts(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs and runs go vet")
	}
	t.Parallel()
	bin, shared, root := t.TempDir(), t.TempDir(), repository(t)
	for _, program := range []struct{ name, pkg, variable string }{
		{"resiliencevet", "./cmd/resiliencevet", ""},
		{"planted", "./internal/driver/planted", "message=here it is"},
		{"rebuilt", "./internal/driver/planted", "message=rebuilt"},
		{"fresh", "./internal/driver/planted", newName()},
	} {
		// One after the other: the first does nearly all of the work.
		build(t, filepath.Join(bin, program.name+exe()), program.pkg, program.variable)
	}
	gocache, goroot := goEnv(t, "GOCACHE"), goEnv(t, "GOROOT")
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: *update,
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", bin+string(os.PathListSeparator)+filepath.Join(goroot, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
			env.Setenv("BIN", bin)
			env.Setenv("FIXTURE", filepath.Join(root, "internal", "driver", "testdata", "fixture"))
			env.Setenv("RESILIENCEVET_CACHE", shared)
			env.Setenv("GOCACHE", gocache)
			env.Setenv("GOPATH", filepath.Join(env.WorkDir, ".gopath"))
			env.Setenv("GOFLAGS", "")
			env.Setenv("GOPROXY", "off")
			env.Setenv("GONOSUMDB", "*")
			env.Setenv("GOTOOLCHAIN", "local")
			env.Setenv("GOTELEMETRY", "off")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status": status,
			"same":   same,
			"vet":    vet,
		},
	})
}

// repository returns the root of the repository.
func repository(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// build builds a program of this repository, and sets a string variable of its
// main package: "name=value".
func build(t *testing.T, file, pkg, variable string) {
	t.Helper()
	args := []string{"build", "-o", file}
	if variable != "" {
		args = append(args, "-ldflags=-X 'main."+variable+"'")
	}
	cmd := exec.Command("go", append(args, pkg)...)
	cmd.Dir = repository(t)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("building %s: %v\n%s", pkg, err, out)
	}
}

// newName is a variable for build that makes a program that nobody has built
// before, so that neither go vet nor the command has anything of it in a cache.
// The program has no such variable; but its file tells how it was built.
func newName() string { return "built=" + rand.Text() }

// goEnv asks the go command for a setting.
func goEnv(t *testing.T, key string) string {
	t.Helper()
	out, err := exec.Command("go", "env", key).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// exe is the suffix of a program's file.
func exe() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}

// status runs a program and wants an exact exit status:
//
//	status 2 resiliencevet ./...
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status n program [args...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// vet runs go vet with a tool and keeps its output, in the form in which the
// command prints: vet orders packages and analyzers as they come, marks further
// positions another way, and heads each package's output with its name.
//
//	vet resiliencevet vet.txt [flags and packages...]
func vet(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: vet tool file [args...]")
	}
	tool := filepath.Join(ts.Getenv("BIN"), args[0]+exe())
	cmd := exec.Command("go", append([]string{"vet", "-vettool=" + tool}, args[2:]...)...)
	cmd.Dir = ts.MkAbs(".")
	for _, key := range []string{
		"PATH", "HOME", "GOCACHE", "GOPATH", "GOFLAGS", "GOPROXY", "GONOSUMDB", "GOTOOLCHAIN", "GOTELEMETRY", "CGO_ENABLED", "GOWORK", "TMPDIR", "SYSTEMROOT",
	} {
		if v := ts.Getenv(key); v != "" {
			cmd.Env = append(cmd.Env, key+"="+v)
		}
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err := cmd.Run()
	if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		ts.Fatalf("%v", err)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(normalize(stderr.String())), 0o666))
}

// normalize sorts go vet's findings, each with its further positions.
func normalize(output string) string {
	var blocks []string
	for line := range strings.Lines(output) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		if at, message, ok := strings.Cut(line, ": \t"); ok && len(blocks) > 0 {
			blocks[len(blocks)-1] += "\t" + at + ": " + message
			continue
		}
		blocks = append(blocks, line)
	}
	slices.SortFunc(blocks, comparePositions)
	return strings.Join(blocks, "")
}

// comparePositions orders lines that begin with file:line:column as a person
// would.
func comparePositions(a, b string) int {
	key := func(s string) string {
		var file string
		var line, column int
		parts := strings.SplitN(s, ":", 4)
		if len(parts) == 4 {
			file = parts[0]
			line, _ = strconv.Atoi(parts[1])
			column, _ = strconv.Atoi(parts[2])
		}
		return fmt.Sprintf("%s:%09d:%09d:%s", file, line, column, s)
	}
	return strings.Compare(key(a), key(b))
}

// same compares files byte by byte, as cmp does, for any number of them.
func same(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: same file file...")
	}
	first := ts.ReadFile(args[0])
	for _, name := range args[1:] {
		if other := ts.ReadFile(name); other != first {
			ts.Fatalf("%s and %s differ:\n--- %s\n%s\n--- %s\n%s", args[0], name, args[0], first, name, other)
		}
	}
}
