package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// What a label expects.
const (
	report   = "report"   // a finding should be there
	silent   = "silent"   // a finding would be wrong
	arguable = "arguable" // either can be defended
)

// label is a line of labels.txt: what a reader thinks of a place.
type label struct {
	module, file string
	lines        []int // the first is the place; a finding at another one is as good
	rule, expect string
	why          string
}

// String says where a label is and why it is as it is.
func (l label) String() string {
	return fmt.Sprintf("%s %s:%d: %s", l.module, l.file, l.lines[0], l.why)
}

// rules are those that labels may speak of, in the order of the tables.
func rules() []string {
	return []string{"retrynokey", "retryfreshkey", "retrybody", "attemptcancel", "attemptleak"}
}

// readLabels reads labels.txt.
func readLabels(file string) ([]label, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	labels, err := parseLabels(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return labels, nil
}

// parseLabels reads the text of labels.txt and wants it in order.
func parseLabels(text string) ([]label, error) {
	var labels []label
	last := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		l, err := parseLabel(line)
		if err != nil {
			return nil, fmt.Errorf("%w: %q", err, line)
		}
		key := strings.Join(strings.Split(line, "\t")[:3], "\t")
		if key <= last {
			return nil, fmt.Errorf("not sorted, or twice: %q", line)
		}
		last = key
		labels = append(labels, l)
	}
	return labels, nil
}

func parseLabel(line string) (label, error) {
	fields := strings.Split(line, "\t")
	if len(fields) != 5 {
		return label{}, fmt.Errorf("%d columns instead of 5", len(fields))
	}
	l := label{module: fields[0], rule: fields[2], expect: fields[3], why: fields[4]}
	if !strings.Contains(l.module, "@") {
		return label{}, errors.New("a module without a version")
	}
	file, lines, ok := strings.Cut(fields[1], ":")
	if !ok {
		return label{}, errors.New("a place without a line")
	}
	l.file = file
	for n := range strings.SplitSeq(lines, "|") {
		number, err := strconv.Atoi(n)
		if err != nil {
			return label{}, fmt.Errorf("%q is no line", n)
		}
		l.lines = append(l.lines, number)
	}
	if !slices.Contains(rules(), l.rule) {
		return label{}, fmt.Errorf("no rule %q", l.rule)
	}
	if l.why == "" {
		return label{}, errors.New("no reason")
	}
	switch l.expect {
	case report, arguable:
	case silent:
		if name, _, ok := strings.Cut(l.why, ":"); !ok || !strings.HasPrefix(name, "trap ") {
			return label{}, errors.New("no trap is named")
		}
	default:
		return label{}, fmt.Errorf("%q is expected", l.expect)
	}
	return l, nil
}

// names tells whether a label is about a finding.
func (l label) names(f finding) bool {
	return l.module == f.module && l.rule == f.rule && l.file == f.file && slices.Contains(l.lines, f.line)
}

// score is what comparing labels with findings gives for one rule.
type score struct {
	rule            string
	expected, found int     // labels that expect a report, and those of them that have one
	traps, hit      int     // labels that expect silence, and those of them that have a finding
	missed, walked  []label // expected and not found; silent and found
	// unlabelled are findings in labelled modules that no label is about: either
	// the reader overlooked the place, or the finding is wrong.
	unlabelled []finding
}

// compareLabels scores each rule, in the order of rules.
func compareLabels(labels []label, list []finding) []score {
	var scores []score
	for _, rule := range rules() {
		s := score{rule: rule}
		labelled := map[string]bool{} // modules with a label for this rule
		for _, l := range labels {
			if l.rule != rule {
				continue
			}
			labelled[l.module] = true
			has := slices.ContainsFunc(list, l.names)
			switch l.expect {
			case report:
				s.expected++
				if has {
					s.found++
				} else {
					s.missed = append(s.missed, l)
				}
			case silent:
				s.traps++
				if has {
					s.hit++
					s.walked = append(s.walked, l)
				}
			}
		}
		for _, f := range list {
			if f.rule == rule && labelled[f.module] && !slices.ContainsFunc(labels, func(l label) bool { return l.names(f) }) {
				s.unlabelled = append(s.unlabelled, f)
			}
		}
		scores = append(scores, s)
	}
	return scores
}
