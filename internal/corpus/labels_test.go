package main

import (
	"strings"
	"testing"
)

func TestLabelsFile(t *testing.T) {
	t.Parallel()
	labels, err := readLabels("labels.txt")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, target := range targets() {
		known[target.module()] = true
	}
	count := map[string]int{}
	for _, l := range labels {
		count[l.module]++
		if !known[l.module] {
			t.Errorf("%s is not in targets", l)
		}
	}
	for module, n := range count {
		if n > 60 {
			t.Errorf("%s has %d labels: more than a person can keep right", module, n)
		}
	}
}

func TestParseLabels(t *testing.T) {
	t.Parallel()
	const good = "m@v1\ta.go:3|5\tretrybody\treport\twhy"
	labels, err := parseLabels("# c\n\n" + good + "\nm@v1\tb.go:3\tretrybody\tsilent\ttrap name: why\n")
	if err != nil {
		t.Fatal(err)
	}
	if len(labels) != 2 {
		t.Fatalf("%d labels", len(labels))
	}
	for line, want := range map[int]bool{3: true, 4: false, 5: true} {
		if got := labels[0].names(finding{module: "m@v1", file: "a.go", line: line, rule: "retrybody"}); got != want {
			t.Errorf("line %d: %v", line, got)
		}
	}
	if labels[0].names(finding{module: "m@v1", file: "a.go", line: 3, rule: "retrynokey"}) {
		t.Error("another rule's finding is taken for this one's")
	}
	for what, bad := range map[string]string{
		"a column is missing":  "m@v1\ta.go:3\tretrybody\treport",
		"no version":           "m\ta.go:3\tretrybody\treport\twhy",
		"no line":              "m@v1\ta.go\tretrybody\treport\twhy",
		"no number":            "m@v1\ta.go:3|x\tretrybody\treport\twhy",
		"no such rule":         "m@v1\ta.go:3\tnone\treport\twhy",
		"no such expectation":  "m@v1\ta.go:3\tretrybody\tmaybe\twhy",
		"no reason":            "m@v1\ta.go:3\tretrybody\treport\t",
		"silence without trap": "m@v1\ta.go:3\tretrybody\tsilent\twhy: so",
		"twice":                good + "\n" + good,
		"not sorted":           "m@v1\tb.go:3\tretrybody\treport\twhy\n" + good,
	} {
		if _, err := parseLabels(bad); err == nil {
			t.Errorf("no error: %s", what)
		}
	}
}

func TestCompareLabels(t *testing.T) {
	t.Parallel()
	labels, err := parseLabels(strings.Join([]string{
		"m@v1\ta.go:1\tretrybody\treport\tfound",
		"m@v1\ta.go:2|4\tretrybody\treport\tfound at the other line",
		"m@v1\ta.go:3\tretrybody\treport\tmissed",
		"m@v1\ta.go:5\tretrybody\tsilent\ttrap x: walked into",
		"m@v1\ta.go:6\tretrybody\tsilent\ttrap x: silent",
		"m@v1\ta.go:7\tretrybody\targuable\twhy",
	}, "\n"))
	if err != nil {
		t.Fatal(err)
	}
	f := func(module string, line int, rule string) finding {
		return finding{module: module, file: "a.go", line: line, rule: rule}
	}
	scores := compareLabels(labels, []finding{
		f("m@v1", 1, "retrybody"), f("m@v1", 4, "retrybody"), f("m@v1", 5, "retrybody"), f("m@v1", 7, "retrybody"),
		f("m@v1", 3, "retrynokey"), // another rule
		f("m@v1", 9, "retrybody"),  // no label
		f("n@v1", 9, "retrybody"),  // no label in that module
	})
	if len(scores) != len(rules()) {
		t.Fatalf("%d scores", len(scores))
	}
	for _, s := range scores {
		if s.rule != "retrybody" {
			if s.expected+s.found+s.traps+s.hit+len(s.unlabelled) > 0 {
				t.Errorf("%s: %+v", s.rule, s)
			}
			continue
		}
		if s.expected != 3 || s.found != 2 || s.traps != 2 || s.hit != 1 {
			t.Errorf("found %d of %d, %d of %d traps; want 2 of 3 and 1 of 2", s.found, s.expected, s.hit, s.traps)
		}
		if len(s.missed) != 1 || s.missed[0].why != "missed" {
			t.Errorf("missed: %v", s.missed)
		}
		if len(s.walked) != 1 || s.walked[0].lines[0] != 5 {
			t.Errorf("walked: %v", s.walked)
		}
		if len(s.unlabelled) != 1 || s.unlabelled[0].line != 9 {
			t.Errorf("unlabelled: %v", s.unlabelled)
		}
	}
	var b strings.Builder
	if err := printRecall(&b, scores); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"      retrybody      2         3          1      2           1\n",
		"retrybody missed: m@v1 a.go:3: missed\n",
		"retrybody walked into a trap: m@v1 a.go:5: trap x: walked into\n",
		"retrybody without a label: m@v1 a.go:9: ",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}
