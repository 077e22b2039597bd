// Package driver is everything between the command line and the analyzers:
// the `go vet -vettool` protocol, and a command of its own on honnef's runner.
package driver

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/resiliencevet/resiliencevet/analyzers"
	"github.com/resiliencevet/resiliencevet/internal/nearest"
)

// The exit statuses of the command.
const (
	exitClean    = 0 // nothing at or above -fail-on
	exitFindings = 1 // something is
	exitFailed   = 2 // could not run, or some package could not be checked
)

// name is the program's name in messages, however the binary is called.
const name = "resiliencevet"

// command is one run of the program.
type command struct {
	suite  analyzers.Suite
	stdout io.Writer
	stderr io.Writer
	env    []string // "KEY=value"; of two with one key the last counts
}

// Main runs the program with arguments (without the program's name) and an
// environment, and returns its exit status. When cmd/go calls it as a vet
// tool, Main does not return: x/tools' unitchecker ends the process.
//
// A process may have one Main running at a time, since the cache's salt and
// the flags of unitchecker belong to the process.
func Main(suite analyzers.Suite, args []string, stdout, stderr io.Writer, env []string) int {
	c := &command{suite: suite, stdout: stdout, stderr: stderr, env: env}
	if isVetProtocol(args) {
		return c.vet(args)
	}
	verb, rest := "check", args
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") && isVerb(args[0]) {
		verb, rest = args[0], args[1:]
	}
	err := c.run(verb, rest)
	var status exitStatus
	switch {
	case err == nil:
		return exitClean
	case errors.As(err, &status):
		return int(status)
	}
	fmt.Fprintf(stderr, "%s: %s\n", name, oneLine(err.Error()))
	return exitFailed
}

// exitStatus is an error that has been told to the user already.
type exitStatus int

// Error makes an exitStatus an error.
func (s exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// isVerb reports whether a first argument is a subcommand. Anything else is a
// package pattern: a directory named like a subcommand is written ./check.
func isVerb(arg string) bool {
	switch arg {
	case "check", "why", "audit", "rules", "explain", "version", "help":
		return true
	}
	return false
}

// run executes a subcommand.
func (c *command) run(verb string, args []string) error {
	if verb == "check" {
		return c.check(args)
	}
	if len(args) > 0 && isHelp(args[0]) {
		verb, args = "help", []string{verb}
	}
	switch verb {
	case "why":
		return c.why(args)
	case "audit":
		return c.audit(args)
	case "rules":
		if len(args) > 0 {
			return fmt.Errorf("rules takes no arguments, but got %q", args[0])
		}
		c.rules()
	case "version":
		if len(args) > 0 {
			return fmt.Errorf("version takes no arguments, but got %q", args[0])
		}
		fmt.Fprintln(c.stdout, version())
	case "explain":
		return c.explain(args)
	case "help":
		return c.help(args)
	}
	return nil
}

// isHelp reports whether an argument asks for help.
func isHelp(arg string) bool {
	switch arg {
	case "-h", "-help", "--help", "--h":
		return true
	}
	return false
}

// rules lists the rules.
func (c *command) rules() {
	width := 0
	for _, d := range c.suite.Docs() {
		width = max(width, len(d.Name))
	}
	for _, d := range c.suite.Docs() {
		state := "opt-in"
		if d.Default {
			state = "default"
		}
		fmt.Fprintf(c.stdout, "%-*s  %-7s  %-7s  %s\n", width, d.Name, state, d.Severity, d.Title)
	}
}

// explain prints the documentation of a rule.
func (c *command) explain(args []string) error {
	if len(args) != 1 {
		return errors.New("explain takes the name of one rule; `resiliencevet rules` lists them")
	}
	doc, ok := c.suite.Doc(args[0])
	if !ok {
		return c.suite.Unknown(args[0])
	}
	fmt.Fprint(c.stdout, doc.Explain())
	return nil
}

// help prints how the program or a subcommand is used.
func (c *command) help(args []string) error {
	if len(args) == 0 {
		fmt.Fprint(c.stdout, usage)
		return nil
	}
	text, ok := map[string]string{
		"check":   checkUsage(),
		"why":     whyUsage(),
		"audit":   auditUsage(),
		"rules":   "usage: resiliencevet rules\n\nLists the rules: name, whether it runs by default, severity, what it reports.\n",
		"explain": "usage: resiliencevet explain <rule>\n\nSays what a rule reports, why it matters, how to mend it and when it is silent.\n",
		"version": "usage: resiliencevet version\n\nPrints the version of the program and of the Go release that built it.\n",
		"help":    usage,
	}[args[0]]
	if !ok {
		if near := nearest.To(args[0], []string{"check", "why", "audit", "rules", "explain", "version"}); near != "" {
			return fmt.Errorf("no help on %q: did you mean %s?", args[0], near)
		}
		return fmt.Errorf("no help on %q: there is check, why, audit, rules, explain and version", args[0])
	}
	fmt.Fprint(c.stdout, text)
	return nil
}

// version names the program's version and the Go release that built it.
func version() string {
	v := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok {
		v = cmp.Or(info.Main.Version, v)
	}
	return fmt.Sprintf("%s %s %s %s/%s", name, v, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// oneLine joins the lines of a message.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

const usage = `resiliencevet finds retries, timeouts and streams that make an outage worse.

usage: resiliencevet [check] [flags] [packages]   check packages (default ./...)
       resiliencevet why [flags] file.go:line     say what is known of the calls and loops there
       resiliencevet audit [flags] [packages]     list outbound calls and the policy each one has
       resiliencevet rules                        list the rules
       resiliencevet explain <rule>               say what a rule means
       resiliencevet version                      print the version
       resiliencevet help check                   list the flags of check
       go vet -vettool=$(which resiliencevet) [packages]

Exit status: 0 nothing found at or above -fail-on, 1 findings, 2 the program
could not run or some package could not be checked.
`
