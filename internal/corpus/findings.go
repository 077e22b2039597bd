package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// unjudged is the verdict of a finding that nobody has read yet.
const unjudged = "unjudged"

// finding is one of the linter's, with what its reader thinks of it.
type finding struct {
	module, file   string
	line           int
	severity, rule string
	message        string
	verdict        string // right, arguable or wrong, a colon and why; or unjudged
}

// String is the finding's line in findings.txt.
func (f finding) String() string {
	return fmt.Sprintf("%s %s:%d %s %s: %s\t%s", f.module, f.file, f.line, f.severity, f.rule, f.message, f.verdict)
}

// parseFinding reads a line that String wrote, possibly with another verdict.
func parseFinding(line string) (finding, error) {
	text, verdict, _ := strings.Cut(line, "\t")
	fields := strings.SplitN(text, " ", 4)
	if len(fields) != 4 {
		return finding{}, fmt.Errorf("not a finding: %q", line)
	}
	f := finding{module: fields[0], severity: fields[2], verdict: verdict}
	at := strings.LastIndexByte(fields[1], ':')
	if at < 0 {
		return finding{}, fmt.Errorf("no line number in %q", line)
	}
	var err error
	f.file = fields[1][:at]
	if f.line, err = strconv.Atoi(fields[1][at+1:]); err != nil {
		return finding{}, fmt.Errorf("no line number in %q", line)
	}
	var ok bool
	if f.rule, f.message, ok = strings.Cut(fields[3], ": "); !ok {
		return finding{}, fmt.Errorf("no rule in %q", line)
	}
	switch f.judgement() {
	case "right", "arguable", "wrong":
		if _, why, _ := strings.Cut(verdict, ":"); strings.TrimSpace(why) == "" {
			return finding{}, fmt.Errorf("a verdict without a reason: %q", line)
		}
	case unjudged:
	default:
		return finding{}, fmt.Errorf("the verdict is neither right, arguable, wrong nor unjudged: %q", line)
	}
	return f, nil
}

// judgement is the verdict's first word.
func (f finding) judgement() string {
	word, _, _ := strings.Cut(f.verdict, ":")
	return word
}

// reason is the rest of the verdict.
func (f finding) reason() string {
	_, why, _ := strings.Cut(f.verdict, ":")
	return strings.TrimSpace(why)
}

// at tells whether two findings are about the same thing, whatever they say.
func (f finding) at(g finding) bool {
	return f.module == g.module && f.file == g.file && f.line == g.line && f.rule == g.rule
}

// module is a module that was checked.
type module struct {
	name      string
	unchecked int      // its packages that could not be checked
	missing   []string // modules that these need and that could not be had; not in findings.txt
}

// findings is what findings.txt holds.
type findings struct {
	modules []module
	list    []finding
}

const header = `# What the linter finds in real modules, each finding with a verdict. Written by go run ./internal/corpus -update;
# the verdicts, after the tab, by people who read the code. A line that begins with = is a module and the number of
# its packages that could not be checked.
`

// String is the text of findings.txt.
func (fs *findings) String() string {
	var b strings.Builder
	b.WriteString(header)
	for _, m := range fs.modules {
		fmt.Fprintf(&b, "= %s %d\n", m.name, m.unchecked)
		for _, f := range fs.of(m.name) {
			fmt.Fprintln(&b, f)
		}
	}
	return b.String()
}

// readFindings reads findings.txt. Without one there are no findings.
func readFindings(file string) (*findings, error) {
	text, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return &findings{}, nil
	}
	if err != nil {
		return nil, err
	}
	fs, err := parseFindings(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return fs, nil
}

// parseFindings reads the text of findings.txt.
func parseFindings(text string) (*findings, error) {
	fs := &findings{}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		if rest, ok := strings.CutPrefix(line, "= "); ok {
			var m module
			if _, err := fmt.Sscanf(rest, "%s %d", &m.name, &m.unchecked); err != nil {
				return nil, fmt.Errorf("not a module: %q", line)
			}
			fs.modules = append(fs.modules, m)
			continue
		}
		f, err := parseFinding(line)
		if err != nil {
			return nil, err
		}
		fs.list = append(fs.list, f)
	}
	return fs, nil
}

// of returns the findings in a module.
func (fs *findings) of(module string) (out []finding) {
	for _, f := range fs.list {
		if f.module == module {
			out = append(out, f)
		}
	}
	return out
}

// add adds a module and its findings.
func (fs *findings) add(m module, list []finding) {
	fs.modules = append(fs.modules, m)
	fs.list = append(fs.list, list...)
}

// keep takes a module over from earlier findings, if it is there.
func (fs *findings) keep(old *findings, module string) {
	for _, m := range old.modules {
		if m.name == module {
			fs.add(m, old.of(module))
		}
	}
}

// judge gives findings the verdicts that they had. One whose message alone has
// changed keeps its verdict; of several at one place each has its own.
func (fs *findings) judge(list []finding) []finding {
	left := slices.Clone(fs.list)
	take := func(f finding, message bool) (string, bool) {
		i := slices.IndexFunc(left, func(g finding) bool { return f.at(g) && (!message || f.message == g.message) })
		if i < 0 {
			return "", false
		}
		verdict := left[i].verdict
		left = slices.Delete(left, i, i+1)
		return verdict, true
	}
	out := slices.Clone(list)
	for _, message := range []bool{true, false} {
		for i := range out {
			if out[i].verdict != "" {
				continue
			}
			if verdict, ok := take(out[i], message); ok {
				out[i].verdict = verdict
			}
		}
	}
	for i := range out {
		if out[i].verdict == "" {
			out[i].verdict = unjudged
		}
	}
	return out
}

// unjudged is an error if there is a finding that nobody has judged.
func (fs *findings) unjudged() error {
	n := 0
	for _, f := range fs.list {
		if f.judgement() == unjudged {
			n++
		}
	}
	if n > 0 {
		return fmt.Errorf("%d findings are unjudged: read them in the source and write right, arguable or wrong, and why, into findings.txt", n)
	}
	return nil
}

// difference compares lists: what is in now but not in old, and the reverse.
func difference(old, now []finding) (added, gone []finding) {
	for _, f := range now {
		if !slices.Contains(old, f) {
			added = append(added, f)
		}
	}
	for _, f := range old {
		if !slices.Contains(now, f) {
			gone = append(gone, f)
		}
	}
	return added, gone
}
