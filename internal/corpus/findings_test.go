package main

import (
	"strings"
	"testing"
)

func TestFindingsFile(t *testing.T) {
	t.Parallel()
	fs, err := readFindings("findings.txt")
	if err != nil {
		t.Fatal(err)
	}
	if len(fs.list) == 0 {
		t.Error("there are no findings: the file was not read")
	}
	if err := fs.unjudged(); err != nil {
		t.Error(err)
	}
	known := map[string]bool{}
	for _, target := range targets() {
		known[target.module()] = true
	}
	seen := map[string]bool{}
	for _, m := range fs.modules {
		seen[m.name] = true
		if !known[m.name] {
			t.Errorf("%s is in findings.txt, but not in targets", m.name)
		}
	}
	for name := range known {
		if !seen[name] {
			t.Errorf("%s is in targets, but not in findings.txt: run go run ./internal/corpus -update", name)
		}
	}
	for _, f := range fs.list {
		if !seen[f.module] {
			t.Errorf("a finding in %s, which has no line of its own", f.module)
		}
	}
	again, err := parseFindings(fs.String())
	if err != nil {
		t.Fatal(err)
	}
	if again.String() != fs.String() {
		t.Error("what is written is not what was read")
	}
}

func TestParseFinding(t *testing.T) {
	t.Parallel()
	const line = "example.com/m@v1.2.3 a b.go:7 error retrybody: it: is sent again\tright: so it is: twice"
	if _, err := parseFinding(line); err == nil {
		t.Error("a file's name with a space is not refused")
	}
	good := strings.Replace(line, "a b.go", "ab.go", 1)
	f, err := parseFinding(good)
	if err != nil {
		t.Fatal(err)
	}
	want := finding{"example.com/m@v1.2.3", "ab.go", 7, "error", "retrybody", "it: is sent again", "right: so it is: twice"}
	if f != want {
		t.Errorf("got %+v, want %+v", f, want)
	}
	if f.String() != good {
		t.Errorf("got %q, want %q", f, good)
	}
	if f.judgement() != "right" || f.reason() != "so it is: twice" {
		t.Errorf("judgement %q, reason %q", f.judgement(), f.reason())
	}
	for _, bad := range []string{
		"",
		"m@v1 a.go error retrybody: x\tright: y",
		"m@v1 a.go:b error retrybody: x\tright: y",
		"m@v1 a.go:1 error retrybody\tright: y",
		"m@v1 a.go:1 error retrybody: x\tright",
		"m@v1 a.go:1 error retrybody: x\tperhaps: y",
		"m@v1 a.go:1 error retrybody: x",
	} {
		if _, err := parseFinding(bad); err == nil {
			t.Errorf("%q is taken for a finding", bad)
		}
	}
}

func TestJudge(t *testing.T) {
	t.Parallel()
	f := func(line int, rule, message, verdict string) finding {
		return finding{"m@v1", "a.go", line, "error", rule, message, verdict}
	}
	old := &findings{list: []finding{
		f(1, "retrynokey", "one", "right: a"),
		f(1, "retrybody", "one", "wrong: b"),
		f(2, "retrynokey", "first", "right: c"),
		f(2, "retrynokey", "second", "arguable: d"),
	}}
	got := old.judge([]finding{
		f(1, "retrybody", "another message", ""),
		f(1, "attemptleak", "one", ""),
		f(2, "retrynokey", "second", ""),
		f(2, "retrynokey", "third", ""),
		f(2, "retrynokey", "fourth", ""),
	})
	for i, want := range []string{"wrong: b", unjudged, "arguable: d", "right: c", unjudged} {
		if got[i].verdict != want {
			t.Errorf("finding %d has the verdict %q, want %q", i, got[i].verdict, want)
		}
	}
	now := &findings{list: got}
	if err := now.unjudged(); err == nil || !strings.HasPrefix(err.Error(), "2 findings") {
		t.Errorf("unjudged: %v", err)
	}
	if err := old.unjudged(); err != nil {
		t.Errorf("unjudged: %v", err)
	}
	added, gone := difference(old.list, got)
	if len(added) != 4 || len(gone) != 3 {
		t.Errorf("%d added and %d gone, want 4 and 3", len(added), len(gone))
	}
}

func TestDecode(t *testing.T) {
	t.Parallel()
	m := target{path: "example.com/m", version: "v1.2.3"}
	out := `{"findings": [
		{"rule": "retrynokey", "severity": "error", "message": "x", "file": "/cache/example.com/m@v1.2.3/b/c.go", "line": 9},
		{"rule": "retrybody", "severity": "error", "message": "x", "file": "../m@v1.2.3/b/c.go", "line": 9},
		{"rule": "retrynokey", "severity": "warning", "message": "y", "file": "../m@v1.2.3/a.go", "line": 3}],
		"errors": [
		{"package": "example.com/m/z", "rule": "", "message": "its dependency cannot be checked"},
		{"package": "example.com/more/a", "rule": "", "message": "example.com/more@v1: reading it: 403"},
		{"package": "example.com/more/b", "rule": "", "message": "example.com/more@v1: reading it: 403"}]}`
	got, list, err := decode(module{name: m.module()}, m, []byte(out), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got.unchecked != 1 || len(got.missing) != 1 || got.missing[0] != "example.com/more@v1" {
		t.Errorf("%d unchecked, missing: %q", got.unchecked, got.missing)
	}
	var places []string
	for _, f := range list {
		places = append(places, strings.TrimSuffix(f.String(), "\t"))
	}
	want := "example.com/m@v1.2.3 a.go:3 warning retrynokey: y\n" +
		"example.com/m@v1.2.3 b/c.go:9 error retrybody: x\n" +
		"example.com/m@v1.2.3 b/c.go:9 error retrynokey: x"
	if s := strings.Join(places, "\n"); s != want {
		t.Errorf("got\n%s\nwant\n%s", s, want)
	}
	for _, bad := range []string{
		"not JSON",
		`{"findings": [{"rule": "r", "file": "/elsewhere/a.go", "line": 1}]}`,
		`{"errors": [{"package": "p", "rule": "retrynokey", "message": "panic"}]}`,
	} {
		if _, _, err := decode(module{}, m, []byte(bad), nil); err == nil {
			t.Errorf("no error for %s", bad)
		}
	}
}
