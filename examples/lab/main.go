// Lab measures what retries do to payments, and what timeouts do to the streamed
// answers of a model: with a policy that was inherited, and with forms that are
// right. It runs real clients and servers on a fake clock, so that minutes take
// milliseconds, and prints the figures beside those of the articles that measured
// the same with .NET and Python.
//
//	go run ./examples/lab
//	go run ./examples/lab -svg docs/streams.svg
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"text/tabwriter"
	"time"
)

func main() {
	svg := flag.String("svg", "", "also draw what becomes of the simulated streams, into this file")
	// A bubble of testing/synctest wants a test, so the program is one.
	testing.Main(func(string, string) (bool, error) { return true, nil }, []testing.InternalTest{{
		Name: "labs",
		F: func(t *testing.T) {
			if err := labs(os.Stdout, t, *svg); err != nil {
				t.Error(err)
			}
		},
	}}, nil, nil)
}

// labs prints all of them.
func labs(w io.Writer, t *testing.T, svg string) error {
	results := simulated(t, simulationSeed)
	err := errors.Join(table(w, t, seed), gap(w), modelTable(w, t), gap(w), scriptTable(w, t), gap(w), simulationTable(w, results))
	if svg != "" {
		err = errors.Join(err, os.WriteFile(svg, []byte(plot(results)), 0o644))
	}
	return err
}

func gap(w io.Writer) error {
	_, err := fmt.Fprintln(w)
	return err
}

// seed decides the jitter of what is printed. The tests take others as well.
const seed = 3

// modelSeed does so for the model lab: one whose waits are near to those of the article.
const modelSeed = 77

// simulationSeed decides the streams of the simulation: one of which the numbers
// of each kind are near to the article's.
const simulationSeed = 27

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
