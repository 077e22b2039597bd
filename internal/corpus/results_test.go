package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestResults fails when docs/results.md says something else than the files
// that it is made of.
func TestResults(t *testing.T) {
	t.Parallel()
	want, err := makeResults(".")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join("..", "..", "docs", "results.md"))
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/results.md is stale: run go run ./internal/corpus -results")
	}
}

func TestPrecision(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		rule pageRule
		want string
	}{
		{pageRule{}, "not enough evidence"},
		{pageRule{Right: 9}, "not enough evidence"},
		{pageRule{Right: 10}, "100 %"},
		{pageRule{Right: 8, Arguable: 2}, "90 %"},
		{pageRule{Right: 6, Arguable: 2, Wrong: 2}, "70 %"},
		{pageRule{Right: 20, Unjudged: 1}, "not all are judged"},
	} {
		if got := precision(test.rule); got != test.want {
			t.Errorf("%+v: %q, want %q", test.rule, got, test.want)
		}
	}
}

func TestPage(t *testing.T) {
	t.Parallel()
	fs, err := parseFindings("= m@v1 3\n" +
		"m@v1 a.go:1 error retrynokey: x\tright: a | b\n" +
		"m@v1 a.go:2 error fanout: x\targuable: c\n" +
		"= n@v1 0\n")
	if err != nil {
		t.Fatal(err)
	}
	labels, err := parseLabels("m@v1\ta.go:1\tretrynokey\treport\twhy\nm@v1\ta.go:2\tretrynokey\treport\tnot seen\nm@v1\ta.go:3\tretrynokey\tsilent\ttrap t: why\n")
	if err != nil {
		t.Fatal(err)
	}
	rows := []recall{{"abc", "retrynokey", 0, 2, 1, 1}, {"def", "retrynokey", 1, 2, 0, 1}}
	p := newPage([]target{{path: "m", version: "v1", note: "a note"}, {path: "n", version: "v1"}}, fs, labels, rows)
	if len(p.Modules) != 2 || p.Modules[0].Findings != 2 || p.Modules[0].Unchecked != 3 || p.Modules[1].Findings != 0 {
		t.Errorf("modules: %+v", p.Modules)
	}
	if got := p.Modules[0].List[0]; got.Place != "a.go:1" || got.Reason != `a \| b` {
		t.Errorf("finding: %+v", got)
	}
	if last := p.Rules[len(p.Rules)-1]; last.Name != "fanout" || last.Arguable != 1 {
		t.Errorf("rules: %+v", p.Rules)
	}
	if p.Rules[0].Name != "retrynokey" || p.Rules[0].Right != 1 {
		t.Errorf("rules: %+v", p.Rules)
	}
	if p.Labels != 3 || p.Reports != 2 || p.Traps != 1 || p.Labelled != 1 || p.Before != "abc" {
		t.Errorf("page: %+v", p)
	}
	r := p.Recall[0]
	if r.Before != "0 of 2" || r.Now != "1 of 2" || r.TrapsBefore != "1 of 1" || r.TrapsNow != "0 of 1" {
		t.Errorf("recall: %+v", r)
	}
	if want := "retryfreshkey or retrybody or attemptcancel or attemptleak"; p.Nobody != want {
		t.Errorf("nobody: %q", p.Nobody)
	}
	if len(p.Missed) != 1 || !strings.HasSuffix(p.Missed[0], "a.go:2: not seen") {
		t.Errorf("missed: %q", p.Missed)
	}
}

func TestParseCounts(t *testing.T) {
	t.Parallel()
	got, err := parseCounts("a\t2 × 3 = 6\t503\t6\nb\t2 × 4 = 8\tclosed connection\t8\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []pageCount{{"a", "2 × 3 = 6", "503", "6"}, {"b", "2 × 4 = 8", "closed connection", "8"}}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for _, text := range []string{"a\t6\n", "\n", "a\tb\tc\td\te\n"} {
		if got, err := parseCounts(text); err == nil {
			t.Errorf("%q: %v, want an error", text, got)
		}
	}
}

func TestRecallFile(t *testing.T) {
	t.Parallel()
	rows, err := readRecall("recall.txt")
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) == 0 {
		t.Error("nothing is recorded")
	}
	for _, r := range rows {
		if r.found > r.expected || r.hit > r.traps {
			t.Errorf("more than there is: %s", r)
		}
	}
}
