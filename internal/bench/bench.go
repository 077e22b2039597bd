package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// bench is the parent of the runs. It does little itself: see usage.
type bench struct {
	work     string // temporary directory
	subject  subject
	module   string // in work, the copy of the module
	progress io.Writer
	packages int // in the module's build, the standard library included
	done     int // runs so far
}

// prepare copies the module, since the go command wants a go.mod that it may
// complete, and compiles what its packages import.
func (b *bench) prepare(ctx context.Context) error {
	if err := os.MkdirAll(b.work, 0o777); err != nil {
		return err
	}
	fmt.Fprintf(b.progress, "downloading %s\n", b.subject.module)
	out, err := b.goCommand(ctx, b.work, "mod", "download", "-json", b.subject.module)
	if err != nil {
		return err
	}
	var downloaded struct{ Dir, Error string }
	if err := json.Unmarshal(out, &downloaded); err != nil {
		return fmt.Errorf("go mod download: %w", err)
	}
	if downloaded.Dir == "" {
		return fmt.Errorf("go mod download: %s", downloaded.Error)
	}
	b.module = filepath.Join(b.work, "module")
	if err := copyTree(b.module, downloaded.Dir); err != nil {
		return err
	}
	fmt.Fprintln(b.progress, "compiling its packages")
	out, err = b.goCommand(ctx, b.module, "list", "-mod=mod", "-export", "-deps", "-e", b.subject.pattern)
	b.packages = bytes.Count(out, []byte("\n"))
	return err
}

// goCommand runs the go command, away from any workspace.
func (b *bench) goCommand(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "PWD="+dir)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, stderr.Bytes())
	}
	return stdout.Bytes(), nil
}

// copyTree copies directories and files, and makes them writable.
func copyTree(to, from string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		if d.IsDir() {
			return os.MkdirAll(target, 0o777)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, data, 0o666)
	})
}

// measure does all runs.
func (b *bench) measure(ctx context.Context, runs int) (*table, error) {
	t := &table{packages: b.packages, runs: runs}
	counted, _, err := b.child(ctx, count, filepath.Join(b.work, "count"))
	if err != nil {
		return nil, err
	}
	t.work = counted.Work
	for i := range runs {
		first := i % len(kinds()) // none is always the first
		turn := append(kinds()[first:], kinds()[:first]...)
		caches := map[kind]string{}
		for _, k := range turn {
			caches[k] = filepath.Join(b.work, fmt.Sprintf("%s%d", k, i))
			s, size, err := b.child(ctx, k, caches[k])
			if err != nil {
				return nil, err
			}
			t.add(row{k, "cold"}, s, size)
		}
		for _, k := range turn {
			s, size, err := b.child(ctx, k, caches[k])
			if err != nil {
				return nil, err
			}
			t.add(row{k, "warm"}, s, size)
		}
		for _, dir := range caches {
			if err := os.RemoveAll(dir); err != nil {
				return nil, err
			}
		}
	}
	return t, nil
}

// child does one run in a process of its own, and returns the size of its cache
// as well.
func (b *bench) child(ctx context.Context, k kind, cache string) (*sample, int64, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, 0, err
	}
	temporary := filepath.Join(cache, "tmp")
	if err := os.MkdirAll(temporary, 0o777); err != nil {
		return nil, 0, err
	}
	cmd := exec.CommandContext(ctx, program, "-child", string(k), "-cache", cache, b.subject.pattern)
	cmd.Dir = b.module
	cmd.Env = append(environ(), "GOWORK=off", "PWD="+b.module, "TMPDIR="+temporary, "RESILIENCEVET_CACHE="+cache)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return nil, 0, fmt.Errorf("run of kind %s: %w\n%s", k, err, stderr.Bytes())
	}
	s := &sample{}
	if err := json.Unmarshal(stdout.Bytes(), s); err != nil {
		return nil, 0, fmt.Errorf("run of kind %s: %w", k, err)
	}
	b.done++
	fmt.Fprintf(b.progress, "run %d, %s: %.2f s, go command %.2f s, %d MB\n", b.done, k, s.Self, s.Children, s.Peak>>20)
	size, err := sizeOf(cache)
	return s, size, err
}

// environ is the environment of a run: without what a person may have set to
// keep programs small.
func environ() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "GOMEMLIMIT=") || strings.HasPrefix(v, "GOGC=")
	})
}

// sizeOf adds up the files below a directory.
func sizeOf(dir string) (int64, error) {
	var size int64
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	return size, err
}
