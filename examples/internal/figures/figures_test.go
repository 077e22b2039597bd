package figures

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestSettle(t *testing.T) {
	t.Parallel()
	full := []row{{"a slow bank", "requests", "3"}, {"a slow bank", "charges", "1"}, {"a quick bank", "charges", "1"}}
	const file = head + "a slow bank | requests | 3\na slow bank | charges | 1\na quick bank | charges | 1\n"
	tests := map[string]struct {
		rows    []row
		skipped []string
		file    string
		want    string // a part of the error
	}{
		"the same":            {rows: full, file: file},
		"another figure":      {rows: full, file: strings.Replace(file, "3", "2", 1), want: "\n- a slow bank | requests | 2\n+ a slow bank | requests | 3"},
		"a row too few":       {rows: full, file: strings.Replace(file, "a quick bank | charges | 1\n", "", 1), want: "\n+ a quick bank | charges | 1"},
		"a row too many":      {rows: full[:2], file: file, want: "\n- a quick bank | charges | 1"},
		"another order":       {rows: []row{full[1], full[0], full[2]}, file: file, want: "stale"},
		"no end of the line":  {rows: full, file: strings.TrimSuffix(file, "\n"), want: "stale"},
		"no head":             {rows: full, file: strings.TrimPrefix(file, head), want: "\n+ # situation"},
		"no file":             {rows: full, want: "\n+ a slow bank | requests | 3"},
		"left out":            {rows: full[2:], skipped: []string{"a slow bank"}, file: file},
		"left out and wrong":  {rows: full[2:], skipped: []string{"a slow bank"}, file: strings.ReplaceAll(file, "1", "2"), want: "\n+ a quick bank | charges | 1"},
		"left out, not known": {rows: full[2:], file: file, want: "\n- a slow bank | requests | 3"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "figures.txt")
			if test.file != "" {
				if err := os.WriteFile(path, []byte(test.file), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			table := &Table{rows: test.rows, skipped: test.skipped}
			if err := table.settle(path, false); (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("settle = %v; want %q", err, test.want)
			}
			if got, err := os.ReadFile(path); string(got) != test.file {
				t.Errorf("the file is now %q, %v", got, err)
			}

			err := table.settle(path, true)
			want := table.text()
			if len(test.skipped) > 0 { // half a table must not replace a whole one
				want = test.file
			}
			if got, _ := os.ReadFile(path); string(got) != want || (err == nil) != (len(test.skipped) == 0) {
				t.Errorf("with -update: %v, and the file is %q; want %q", err, got, want)
			}
			if files, err := os.ReadDir(filepath.Dir(path)); err != nil || len(files) != 1 {
				t.Errorf("files left: %v, %v", files, err)
			}
		})
	}
}

func TestAdd(t *testing.T) {
	t.Parallel()
	table := &Table{}
	for _, r := range []row{
		{"", "requests", "1"}, {"a bank", "", "1"}, {"a bank", "requests", ""},
		{"a | b", "requests", "1"}, {"a bank", "requests", "1\n2"}, {"#a", "requests", "1"}, {"a bank ", "requests", "1"},
	} {
		if err := table.add(r); err == nil {
			t.Errorf("%q is accepted", r)
		}
	}
	for _, r := range []row{{"a bank", "requests", "1"}, {"a bank", "charges", "1"}, {"no bank", "requests", "1"}} {
		if err := table.add(r); err != nil {
			t.Error(err)
		}
	}
	if err := table.add(row{"a bank", "requests", "2"}); err == nil {
		t.Error("a figure is accepted twice")
	}
}

func TestFormat(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		figure any
		want   string
	}{
		{12, "12"},
		{90 * time.Second, "90 s"},
		{80 * time.Millisecond, "0.08 s"},
		{"whole", "whole"},
		{error(nil), "success"},
		{errors.New("no"), "error: no"},
		{fmt.Errorf("fare: %w", fmt.Errorf("post: %w", context.Canceled)), "error: context canceled"},
		{AtMost(2*time.Second, 2*time.Second), "at most 2 s"},
		{AtMost(3*time.Second, 2*time.Second), "3 s"},
	} {
		if got := format(test.figure); got != test.want {
			t.Errorf("format(%v) = %q, want %q", test.figure, got, test.want)
		}
	}
}

// TestTry finds its rows in a bubble, where time is fake.
func TestTry(t *testing.T) {
	table := &Table{t: t}
	table.Try("a minute", func(_ *testing.T, s *Situation) {
		began := time.Now()
		time.Sleep(time.Minute)
		s.Row("time", time.Since(began))
	})
	if want := (row{"a minute", "time", "60 s"}); len(table.rows) != 1 || table.rows[0] != want {
		t.Errorf("rows %q, want %q", table.rows, want)
	}
}
