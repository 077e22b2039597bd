package main

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"text/tabwriter"
)

// modelTable prints the model lab.
func modelTable(w io.Writer, t *testing.T) error {
	fmt.Fprintln(w, "Model lab: the first token after 1 s, then 20 a second; 780 tokens are 40 s. Beside the figures, in parentheses, what the article has.")
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "#\tclient\trequests\ttokens\treceived\tthe application sees")
	for _, q := range questions() {
		r := q.hold(t, modelSeed)
		theirs := ""
		if q.dotnet != "" {
			theirs = fmt.Sprintf(" (%d)", q.requests)
		}
		fmt.Fprintf(tw, "%d\t%s\t%d%s\t%d\t%d\t%s\n", q.number, q.name, r.requests, theirs, r.tokens, r.received, r)
		if q.dotnet != "" {
			fmt.Fprintf(tw, "\t\t\t\t\t(%s)\n", q.dotnet)
		}
	}
	return tw.Flush()
}

// scriptTable prints the four scripts.
func scriptTable(w io.Writer, t *testing.T) error {
	fmt.Fprintln(w, "Stream budgets: first token 0.8 s, idle 0.3 s, deadline 3 s. In parentheses, what the article has from a real clock.")
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, s := range scripts() {
		fmt.Fprintf(tw, "%s\t%s\t(%s)\n", s.name, s.play(t), s.article)
	}
	return tw.Flush()
}

// simulated plays every policy.
func simulated(t *testing.T, seed uint64) []result {
	var once, retried []result
	for _, p := range policies() {
		o, r := p.simulate(t, seed)
		once, retried = append(once, result{p, false, o}), append(retried, result{p, true, r})
	}
	return append(once, retried...)
}

// theirs is what the article has of a result, and ? for what it does not say.
func theirs(title, column string) string {
	figures := map[string]string{
		"60 s in all/killed":                       "36",
		"120 s in all/killed":                      "4",
		"25 s a read, with pings/killed":           "0",
		"25 s a read, with pings/never noticed":    "5",
		"25 s a read, without pings/killed":        "14",
		"25 s a read, without pings/never noticed": "0",
		"three budgets/killed":                     "0",
		"three budgets/never noticed":              "0",
		"60 s in all, one retry/killed":            "68",
		"60 s in all, one retry/retries":           "47",
		"60 s in all, one retry/discarded":         "4080 s",
		"three budgets, one retry/complete":        "199",
	}
	if f, ok := figures[title+"/"+column]; ok {
		return " (" + f + ")"
	}
	return ""
}

// simulationTable prints them.
func simulationTable(w io.Writer, results []result) error {
	fmt.Fprintf(w, "%d streams: a fifth long, up to 110 s; a tenth think for 15 to 50 s; 5 %% of attempts stall, half of these pinging; pings every 5 s.\n", streams)
	fmt.Fprintln(w, "Three budgets are first token 60 s, idle 15 s, deadline 300 s. A stall that nothing ends is watched for 600 s. In parentheses, what the article has.")
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "policy\tcomplete\thealthy, killed\tstalls noticed\tafter (median)\tnever noticed\tretries\tstreamed for nothing")
	for _, r := range results {
		cell := func(column string, figure any) string { return fmt.Sprint(figure) + theirs(r.title(), column) }
		fmt.Fprintln(tw, strings.Join([]string{r.title(), cell("complete", r.complete), cell("killed", r.killed), cell("detected", r.detected), seconds(r.wait()),
			cell("never noticed", r.undetected), cell("retries", r.retries), cell("discarded", fmt.Sprintf("%.0f s", r.discarded.Seconds()))}, "\t"))
	}
	return tw.Flush()
}
