package rewrite

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write what the rewrites make of testdata/*.txtar into these files")

// TestRewrites shows what each rewrite makes of a small package: for the rewrite
// x, testdata/x.txtar has the package before (in.go) and after (out/...), and
// what was skipped. Apply fails unless the result compiles.
func TestRewrites(t *testing.T) {
	t.Parallel()
	for _, rw := range All() {
		t.Run(rw.Name(), func(t *testing.T) {
			t.Parallel()
			name := filepath.Join("testdata", rw.Name()+".txtar")
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if len(archive.Files) == 0 || archive.Files[0].Name != "in.go" {
				t.Fatalf("%s does not begin with in.go", name)
			}
			p := load(t, archive.Files[0].Data)
			res, err := Apply(p, rw, same)
			if err != nil {
				t.Fatal(err)
			}
			if len(res.Changes) == 0 {
				t.Errorf("%s changes nothing", rw.Name())
			}
			got := &txtar.Archive{Comment: archive.Comment, Files: archive.Files[:1]}
			for _, o := range res.Files {
				got.Files = append(got.Files, txtar.File{Name: "out/" + o.Name, Data: o.Text})
				origins(t, p, o)
			}
			var skipped strings.Builder
			for _, why := range slices.Sorted(maps.Keys(res.Skipped)) {
				fmt.Fprintf(&skipped, "%d: %s\n", res.Skipped[why], why)
				if strings.HasPrefix(why, "does not compile") {
					t.Errorf("%s made what %s", rw.Name(), why)
				}
			}
			got.Files = append(got.Files, txtar.File{Name: "skipped", Data: []byte(skipped.String())})
			if *update {
				if err := os.WriteFile(name, txtar.Format(got), 0o666); err != nil {
					t.Fatal(err)
				}
			} else if want := txtar.Format(archive); !bytes.Equal(txtar.Format(got), want) {
				t.Errorf("%s is not what %s makes; with -update, git diff shows what changed. Got\n%s", name, rw.Name(), txtar.Format(got))
			}
		})
	}
}

// origins checks that text which was only moved leads back to equal text.
func origins(t *testing.T, p *Package, o *Output) {
	t.Helper()
	moved := 0
	for i, c := range o.Text {
		s := o.Origin(i)
		if !s.IsValid() || i > 0 && o.Origin(i-1) == s || i+1 < len(o.Text) && o.Origin(i+1) != s+1 {
			continue
		}
		moved++
		if was := p.Files[0].Text[p.Fset.Position(s).Offset]; was != c {
			t.Fatalf("%s: offset %d is %q and comes from %s, which is %q", o.Name, i, c, p.Fset.Position(s), was)
		}
	}
	if moved == 0 {
		t.Errorf("%s: nothing in it comes from the old file", o.Name)
	}
}

// TestTrace runs a program that prints what it does, before and after each
// rewrite.
func TestTrace(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	t.Parallel()
	text, err := os.ReadFile("testdata/trace/main.go")
	if err != nil {
		t.Fatal(err)
	}
	p := load(t, text)
	want := run(t, p.Dir)
	if !strings.Contains(want, "server got POST") {
		t.Fatalf("the program prints\n%s", want)
	}
	for _, rw := range All() {
		t.Run(rw.Name(), func(t *testing.T) {
			res, err := Apply(p, rw, same)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d changes", len(res.Changes))
			for why, n := range res.Skipped {
				t.Logf("left %d times: %s", n, why)
				if strings.HasPrefix(why, "does not compile") {
					t.Errorf("%s made what %s", rw.Name(), why)
				}
			}
			if len(res.Changes) == 0 {
				t.Errorf("%s changes nothing", rw.Name())
			}
			dir := t.TempDir()
			write(t, filepath.Join(dir, "go.mod"), []byte("module tiny\n\ngo 1.26\n"))
			for _, o := range res.Files {
				write(t, filepath.Join(dir, filepath.FromSlash(o.Name)), o.Text)
			}
			if got := run(t, dir); got != want {
				t.Errorf("after %s, the program prints\n%s\nand before\n%s", rw.Name(), got, want)
			}
		})
	}
}

// run runs the program in a directory and returns what it prints.
func run(t *testing.T, dir string) string {
	t.Helper()
	cmd := exec.Command("go", "run", ".")
	cmd.Dir, cmd.Env = dir, plainEnv(dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// load makes a module of one file and loads it.
func load(t *testing.T, text []byte) *Package {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), []byte("module tiny\n\ngo 1.26\n"))
	write(t, filepath.Join(dir, "tiny.go"), text)
	loaded, err := Load(dir, plainEnv(dir), ".")
	if err != nil {
		t.Fatal(err)
	}
	return loaded[0]
}

func same(path string) string { return path }

// plainEnv is the environment of go commands in a module of its own.
func plainEnv(dir string) []string {
	return append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "PWD="+dir)
}

func write(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := writeFile(path, text); err != nil {
		t.Fatal(err)
	}
}
