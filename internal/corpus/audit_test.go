package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAuditFile wants every cell in audit.txt to be judged, and none to be wrong.
func TestAuditFile(t *testing.T) {
	t.Parallel()
	cells, err := readCells("audit.txt")
	if err != nil {
		t.Fatal(err)
	}
	columns, calls := countCells(cells)
	if want := auditedWithin + auditedThrough; calls != want {
		t.Errorf("%d calls, want %d", calls, want)
	}
	for _, c := range columns {
		if c.Wrong > 0 || c.Unjudged > 0 || c.Right+c.Unknown != calls {
			t.Errorf("%s: %d right, %d wrong, %d unknown and %d unjudged of %d calls", c.Name, c.Right, c.Wrong, c.Unknown, c.Unjudged, calls)
		}
	}
}

// TestCells wants what is written to be read again.
func TestCells(t *testing.T) {
	t.Parallel()
	c := auditCall{File: "a/b.go", Line: 7, Function: "T.F", Operation: "http.Client.Do", Cells: map[string]auditCell{
		"method": {State: "known", Value: "GET"}, "url": {State: "partly", Value: "…/x", Why: "the caller gives a part of it"},
		"client": {State: "unknown", Why: "w"}, "requests": {State: "known", Value: "1"}, "headers": {State: "known", Value: "10s", By: "b"},
		"body": {State: "absent"}, "whole": {State: "absent"}, "key": {State: "absent"}, "stream": {State: "absent"},
	}}
	cells := c.cells("example.com/m@v1.0.0")
	for i := range cells {
		cells[i].verdict = "right"
		if strings.HasPrefix(cells[i].says, "unknown") {
			cells[i].verdict = "unknown"
		}
	}
	file := filepath.Join(t.TempDir(), "audit.txt")
	if err := os.WriteFile(file, []byte(writeCells(cells)), 0o666); err != nil {
		t.Fatal(err)
	}
	again, err := readCells(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(again) != len(auditColumns) {
		t.Fatalf("%d cells", len(again))
	}
	for i := range again {
		if again[i] != cells[i] {
			t.Errorf("%+v was read as %+v", cells[i], again[i])
		}
	}
	for _, bad := range []string{"method\tknown GET\tright\n", "= c\nmethod\tknown GET\n", "= c\nmethod\tknown GET\tfine\n", "= c\nmethod\tunknown (x)\tright\n", "= c\nmethod\tknown GET\tunknown\n"} {
		if err := os.WriteFile(file, []byte(bad), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := readCells(file); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
	if _, err := readCells(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// TestChoose wants the same calls each time, as many within a package as through
// several.
func TestChoose(t *testing.T) {
	t.Parallel()
	var calls []auditCall
	for i := range 60 {
		c := auditCall{File: "f.go", Line: i + 1, Way: []string{"example.com/a/f.go:1"}}
		if i%3 == 0 {
			c.Way = append(c.Way, "example.com/b/g.go:2")
		}
		calls = append(calls, c)
	}
	first, second := choose(calls, 6, 4), choose(calls, 6, 4)
	through := 0
	for i, c := range first {
		if c.Line != second[i].Line {
			t.Errorf("%d and %d", c.Line, second[i].Line)
		}
		if c.packages() > 1 {
			through++
		}
	}
	if len(first) != 10 || through != 4 {
		t.Errorf("%d calls, %d through several packages", len(first), through)
	}
}
