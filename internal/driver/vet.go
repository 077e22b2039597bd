package driver

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"

	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/resiliencevet/resiliencevet/analyzers"
	"github.com/resiliencevet/resiliencevet/analyzers/suppression"
	"github.com/resiliencevet/resiliencevet/internal/policy"
	"github.com/resiliencevet/resiliencevet/internal/rule"
)

// isVetProtocol reports whether cmd/go is the caller: it asks for the version
// (its cache key), for the flags, or hands over the description of a package.
func isVetProtocol(args []string) bool {
	if len(args) == 0 {
		return false
	}
	switch args[0] {
	case "-V=full", "--V=full", "-flags", "--flags":
		return true
	}
	return strings.HasSuffix(args[len(args)-1], ".cfg")
}

// vet acts as a vet tool.
//
// unitchecker parses the flags, but only after the analyzers are made, and the
// model wants its configuration when it is made. So the flags of our own are
// read from the arguments first, and declared for unitchecker besides, which
// then accepts them and tells cmd/go of them. cmd/go puts all flags into the
// key of its cache.
func (c *command) vet(args []string) int {
	flags, err := c.parseVet(args)
	if err != nil {
		fmt.Fprintf(c.stderr, "%s: %s\n", name, oneLine(err.Error()))
		return exitFailed
	}
	flag.String("rules", "", "list of rules: a,b for only those, -c for the default ones without c, default,d for those and an opt-in one, or all")
	flag.Bool("strict", false, "also report what rests on something unknown")
	flag.Bool("unsafe-methods", false, "count PUT and DELETE as unsafe to repeat, too")
	flags.policy.FactsOnly = factsOnly(args[len(args)-1])
	unitchecker.Main(c.suite.New(analyzers.Config{
		Policy: flags.policy,
		Rules: rule.Options{
			Enabled: flags.enabled,
			// Since Go 1.26, cmd/go passes -json to the tool even when it is
			// to print text, and prints only the message. So the tool cannot
			// know which it is, and the name must be in the message.
			RuleInMessage:  true,
			ReportProblems: flags.reportsProblems,
		},
	})...)
	return exitClean // not reached
}

// factsOnly reads from cmd/go's description of a package whether it is needed
// for what it tells importers only. unitchecker runs the rules there, too, and
// drops what they find.
func factsOnly(file string) bool {
	if !strings.HasSuffix(file, ".cfg") {
		return false
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return false // unitchecker says it
	}
	var description struct{ VetxOnly bool }
	return json.Unmarshal(text, &description) == nil && description.VetxOnly
}

// vetFlags is what the arguments say to a vet tool.
type vetFlags struct {
	policy policy.Config
	rules  analyzers.Selection

	// The flags that x/tools makes of the analyzers' names: if any is true,
	// only those analyzers run.
	named   map[string]bool
	speaker string // the rule that speaks for the model; empty if housekeeping does
}

// enabled reports whether a rule runs: if its flag is given, or if it is
// selected. (x/tools drops what other analyzers' flags exclude.)
func (f *vetFlags) enabled(rule string) bool {
	if on, given := f.named[rule]; given {
		return on
	}
	return f.rules.Has(rule)
}

// reportsProblems says which rule reports the model's own failures: the first
// that is chosen by its flag, when the housekeeping analyzer is not.
func (f *vetFlags) reportsProblems(rule string) bool { return rule == f.speaker }

// parseVet reads the flags that matter when the analyzers are made.
// It leaves every complaint about other flags to unitchecker.
func (c *command) parseVet(args []string) (*vetFlags, error) {
	out := &vetFlags{named: map[string]bool{}}
	list := ""
	for i := 0; i < len(args); i++ {
		if !strings.HasPrefix(args[i], "-") {
			break // the description of the package
		}
		key, value, hasValue := strings.Cut(strings.TrimLeft(args[i], "-"), "=")
		on := value != "false" && value != "0" && value != "f" && value != "F" && value != "FALSE" && value != "False"
		switch key {
		case "rules":
			if !hasValue && i+1 < len(args) {
				i++
				value = args[i]
			}
			list = value
		case "c", "tags": // x/tools' own flags that take a value
			if !hasValue {
				i++
			}
		case "strict":
			out.policy.Strict = on
		case "unsafe-methods":
			out.policy.UnsafeMethods = on
		default:
			if _, ok := c.suite.Doc(key); ok {
				out.named[key] = on
			}
		}
	}
	var err error
	if out.rules, err = c.suite.Select(list); err != nil {
		return nil, fmt.Errorf("invalid value %q for flag -rules: %w", list, err)
	}
	out.speaker = c.speaker(out)
	return out, nil
}

// speaker names the rule that reports the model's failures: none while the
// housekeeping analyzer runs.
func (c *command) speaker(f *vetFlags) string {
	onlyNamed := false
	for _, on := range f.named {
		onlyNamed = onlyNamed || on
	}
	if on, given := f.named[suppression.Name]; on || !given && !onlyNamed {
		return ""
	}
	for _, r := range c.suite {
		if f.enabled(r.Doc.Name) && (!onlyNamed || f.named[r.Doc.Name]) {
			return r.Doc.Name
		}
	}
	return ""
}
