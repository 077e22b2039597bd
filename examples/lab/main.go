// Lab measures what retries do to payments: with a policy that was inherited,
// and with forms that are right. It runs real clients and servers on a fake
// clock, so that minutes take milliseconds, and prints the figures beside those
// of the article that measured the same with .NET.
//
//	go run ./examples/lab
package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"text/tabwriter"
	"time"
)

func main() {
	// A bubble of testing/synctest wants a test, so the program is one.
	testing.Main(func(string, string) (bool, error) { return true, nil }, []testing.InternalTest{{
		Name: "payments",
		F: func(t *testing.T) {
			if err := table(os.Stdout, t, seed); err != nil {
				t.Error(err)
			}
		},
	}}, nil, nil)
}

// seed decides the jitter of what is printed. The tests take others as well.
const seed = 3

// table prints a line for each scenario.
func table(w io.Writer, t *testing.T, seed uint64) error {
	fmt.Fprintln(w, "Payment lab: a charge takes 12 s. Beside the figures, in parentheses, what the article has.")
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "#\tclient, server\tattempts\tcharges\tthe caller sees")
	for _, s := range payments() {
		f := s.perform(t, seed)
		fmt.Fprintf(tw, "%d\t%s\t%d%s\t%d%s\t%s\n", s.number, s.name,
			f.attempts, s.beside(fmt.Sprint(s.attempts)), len(f.charges), s.beside(fmt.Sprint(s.charges)), f)
		if s.dotnet != "" {
			fmt.Fprintf(tw, "\t\t\t\t%s\n", strings.TrimSpace(s.beside(s.dotnet)))
		}
	}
	return tw.Flush()
}

// beside puts a figure of the article next to one of this lab.
func (s scenario) beside(theirs string) string {
	if s.dotnet == "" {
		return ""
	}
	return " (" + theirs + ")"
}

// String says what the customer saw, and what was charged behind their back.
func (f figures) String() string {
	var parts []string
	for i, saw := range f.sees {
		parts = append(parts, fmt.Sprintf("%s at %s", saw, seconds(f.at[i])))
	}
	end := f.at[len(f.at)-1]
	for _, c := range f.charges {
		if c > end {
			parts = append(parts, fmt.Sprintf("a charge %s later", seconds(c-end)))
		}
	}
	if len(f.sees) == 1 && len(f.arrived) > 1 {
		var came []string
		for _, at := range f.arrived {
			came = append(came, fmt.Sprintf("%.1f", at.Seconds()))
		}
		parts = append(parts, fmt.Sprintf("attempts at %s s", strings.Join(came, ", ")))
	}
	return strings.Join(parts, ", ")
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }
