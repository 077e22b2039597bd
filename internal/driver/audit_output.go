package driver

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/resiliencevet/resiliencevet/internal/policy"
)

// columns are the properties of a call that may be unknown, with the names that the
// summary counts them by.
var columns = []struct {
	name string
	of   func(*policy.Call) policy.Cell
}{
	{"method", func(c *policy.Call) policy.Cell { return c.Method }},
	{"url", func(c *policy.Call) policy.Cell { return c.URL }},
	{"client", func(c *policy.Call) policy.Cell { return c.Client }},
	{"requests", func(c *policy.Call) policy.Cell { return c.Requests }},
	{"headers", func(c *policy.Call) policy.Cell { return c.Headers }},
	{"body", func(c *policy.Call) policy.Cell { return c.Body }},
	{"whole", func(c *policy.Call) policy.Cell { return c.Whole }},
	{"key", func(c *policy.Call) policy.Cell { return c.Key }},
	{"stream", func(c *policy.Call) policy.Cell { return c.Stream }},
}

// auditSummary counts what an audit found.
type auditSummary struct {
	Packages int            `json:"packages"`
	Calls    int            `json:"calls"`
	Risk     map[string]int `json:"risk"`
	Repeated int            `json:"repeated"` // calls that something sends again
	Unsafe   int            `json:"unsafe"`   // of these, POST and PATCH without a key that is seen
	Models   int            `json:"models"`   // calls that ask a language model
	Unknown  map[string]int `json:"unknown"`  // cells that are not known, by column
}

func (r *auditReport) summary() auditSummary {
	s := auditSummary{Packages: r.packages, Calls: len(r.rows), Risk: map[string]int{}, Unknown: map[string]int{}}
	for _, risk := range []policy.Risk{policy.HighRisk, policy.MediumRisk, policy.LowRisk} {
		s.Risk[string(risk)] = 0
	}
	for _, c := range columns {
		s.Unknown[c.name] = 0
	}
	for i := range r.rows {
		row := &r.rows[i]
		s.Risk[string(row.Risk)]++
		if row.Model {
			s.Models++
		}
		if len(row.Layers) > 0 {
			s.Repeated++
			if unsafe := row.Method.Value == "POST" || row.Method.Value == "PATCH"; unsafe && row.Key.State != policy.Known {
				s.Unsafe++
			}
		}
		for _, c := range columns {
			if x := c.of(&row.Call); x.State == policy.Unknown && x.Why != policy.NoPieces {
				s.Unknown[c.name]++
			}
		}
	}
	return s
}

// writeText prints the summary, and a table of the calls below it.
func (r *auditReport) writeText(stdout io.Writer, details bool) error {
	w := bufio.NewWriter(stdout)
	s := r.summary()
	fmt.Fprintf(w, "%s in %s: %d of high risk, %d of medium, %d of low\n", plural(s.Calls, "outbound call"), plural(s.Packages, "package"),
		s.Risk[string(policy.HighRisk)], s.Risk[string(policy.MediumRisk)], s.Risk[string(policy.LowRisk)])
	fmt.Fprintf(w, "%d sent again by something, %d of them POST or PATCH with no key that is seen\n", s.Repeated, s.Unsafe)
	if s.Models > 0 {
		fmt.Fprintf(w, "%d to a language model\n", s.Models)
	}
	var missing []string
	for _, c := range columns {
		if n := s.Unknown[c.name]; n > 0 {
			missing = append(missing, fmt.Sprintf("%s %d", c.name, n))
		}
	}
	if len(missing) > 0 {
		fmt.Fprintf(w, "not known (?): %s\n", strings.Join(missing, ", "))
	}
	if len(r.rows) == 0 {
		return w.Flush()
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "risk\tplace\tcall\trequests\theaders\tbody\twhole\tkey\tstream\tfindings")
	for i := range r.rows {
		row := &r.rows[i]
		fmt.Fprintln(t, strings.Join([]string{
			string(row.Risk), row.at.String(), callText(&row.Call), requestsText(&row.Call),
			cellText(row.Headers), cellText(row.Body), cellText(row.Whole), cellText(row.Key), streamText(row.Stream), rulesText(&row.Call),
		}, "\t"))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if details {
		r.writeDetails(w)
	}
	return w.Flush()
}

// cellText is a cell in a table.
func cellText(c policy.Cell) string {
	switch c.State {
	case policy.Known, policy.Partly:
		return c.Value
	case policy.Absent:
		return "none"
	}
	return "?"
}

// streamText is the cell of an answer that does not come in pieces, or of one that does.
func streamText(c policy.Cell) string {
	if c.Why == policy.NoPieces {
		return "-"
	}
	return cellText(c)
}

// maxURL is how much of a URL a table shows, in characters: its end tells more.
const maxURL = 48

func callText(c *policy.Call) string {
	url := []rune(c.URL.Value)
	if len(url) > maxURL {
		url = append([]rune("…"), url[len(url)-maxURL:]...)
	}
	switch {
	case c.Method.State == policy.Unknown && c.URL.State == policy.Unknown:
		return c.Operation
	case c.URL.State == policy.Unknown:
		return c.Method.Value + " by " + c.Operation
	}
	return cellText(c.Method) + " " + string(url)
}

// requestsText is the product of the layers, if that is known.
func requestsText(c *policy.Call) string {
	more := ""
	if c.Requests.State == policy.Partly {
		more = "+"
	}
	if len(c.Layers) < 2 || c.Requests.State != policy.Known && more == "" {
		return cellText(c.Requests) + more
	}
	var parts []string
	product := 1
	for _, l := range c.Layers {
		parts = append(parts, strconv.Itoa(l.Attempts))
		product *= l.Attempts
	}
	if strconv.Itoa(product) != c.Requests.Value {
		return c.Requests.Value + more
	}
	return strings.Join(parts, " × ") + " = " + c.Requests.Value + more
}

func rulesText(c *policy.Call) string {
	var names []string
	for _, v := range c.Verdicts {
		names = append(names, v.Rule)
	}
	if len(names) == 0 {
		return "-"
	}
	return strings.Join(names, ", ")
}

// writeDetails prints what a table has no room for.
func (r *auditReport) writeDetails(w io.Writer) {
	for i := range r.rows {
		row := &r.rows[i]
		fmt.Fprintf(w, "\n%s: %s in %s (%s)\n", row.at, row.Operation, row.Function, row.Risk)
		for _, why := range row.Reasons {
			fmt.Fprintf(w, "\trisk: %s\n", why)
		}
		for j, l := range row.Layers {
			often := "how often is not known"
			switch {
			case l.Attempts > 0:
				often = fmt.Sprintf("up to %d attempts", l.Attempts)
			case l.Attempts < 0:
				often = "without a bound"
			}
			if l.After != "" {
				often += ", after " + l.After
			}
			if l.Open != "" {
				often += "; " + l.Open
			}
			at := ""
			if row.layers[j].file != "" {
				at = row.layers[j].String() + ": "
			}
			fmt.Fprintf(w, "\tsends again: %s%s: %s\n", at, l.Name, often)
		}
		for _, c := range columns {
			switch cell := c.of(&row.Call); cell.State {
			case policy.Unknown:
				fmt.Fprintf(w, "\t%s: ?: %s\n", c.name, cell.Why)
			case policy.Partly:
				fmt.Fprintf(w, "\t%s: %s: %s\n", c.name, cell.Value, cell.Why)
			case policy.Absent:
				fmt.Fprintf(w, "\t%s: none%s\n", c.name, inBrackets(cell.Value))
			default:
				fmt.Fprintf(w, "\t%s: %s%s\n", c.name, cell.Value, inBrackets(cell.By))
			}
		}
		for _, v := range row.Verdicts {
			fmt.Fprintf(w, "\t%s (%s): %s\n", v.Rule, v.Severity, oneLine(v.Message))
		}
	}
}

func inBrackets(s string) string {
	if s == "" {
		return ""
	}
	return " (" + s + ")"
}

type (
	jsonAudit struct {
		Version int             `json:"version"`
		Calls   []jsonAuditCall `json:"calls"`
		Summary auditSummary    `json:"summary"`
		Errors  []jsonError     `json:"errors"`
	}
	jsonAuditCall struct {
		Package string `json:"package"`
		File    string `json:"file"`
		Line    int    `json:"line"`
		Column  int    `json:"column"`
		policy.Call
		Layers []jsonLayer `json:"layers"` // instead of the model's, which have no places
	}
	jsonLayer struct {
		policy.Layer
		File string `json:"file,omitempty"`
		Line int    `json:"line,omitempty"`
	}
)

// writeJSON prints the audit as one JSON document. Its lists are never null.
func (r *auditReport) writeJSON(stdout io.Writer) error {
	doc := jsonAudit{Version: jsonVersion, Calls: []jsonAuditCall{}, Summary: r.summary(), Errors: []jsonError{}}
	for _, row := range r.rows {
		j := jsonAuditCall{Package: row.pkg, File: row.at.file, Line: row.at.line, Column: row.at.column, Call: row.Call, Layers: []jsonLayer{}}
		for i, l := range row.Call.Layers {
			j.Layers = append(j.Layers, jsonLayer{l, row.layers[i].file, row.layers[i].line})
		}
		doc.Calls = append(doc.Calls, j)
	}
	for _, e := range r.problems {
		doc.Errors = append(doc.Errors, jsonError{e.pkg, e.rule, e.message, e.file, e.line})
	}
	w := bufio.NewWriter(stdout)
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(doc); err != nil {
		return err
	}
	return w.Flush()
}
