package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// auditSeed chooses the calls whose cells are compared with the code: the day on which
// they were chosen first.
const auditSeed = 20261201

// The calls that are taken: as many in one package as through several, and of each
// kind half from the first module, if it has so many.
const (
	auditedWithin  = 10
	auditedThrough = 10
)

// audited are the modules that calls are taken from.
func audited() []string { return []string{"k8s.io/client-go", "github.com/go-acme/lego/v5"} }

// auditColumns are the cells that are compared, as the audit's JSON names them.
var auditColumns = []string{"method", "url", "client", "requests", "headers", "body", "whole", "key", "stream"}

// A judgedCell is one cell of one call, and what a reader says of it.
type judgedCell struct {
	call   string // module, place and function
	column string
	says   string
	// verdict is right, wrong, or unknown where the audit does not know; a colon and
	// why may follow.
	verdict string
}

func (c judgedCell) key() string { return c.call + "\t" + c.column + "\t" + c.says }

// sample runs the audit on the modules, and takes calls by chance.
func sample(out io.Writer, update bool) error {
	file := filepath.Join(dir, "audit.txt")
	old, err := readCells(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	verdicts := map[string]string{}
	for _, c := range old {
		verdicts[c.key()] = c.verdict
	}
	linter, cleanup, err := build()
	if err != nil {
		return err
	}
	defer cleanup()
	var cells []judgedCell
	within, through := auditedWithin, auditedThrough
	for n, path := range audited() {
		i := slices.IndexFunc(targets(), func(t target) bool { return t.path == path })
		if i < 0 {
			return fmt.Errorf("%s is not among the modules", path)
		}
		calls, err := linter.audit(targets()[i])
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		most := len(audited()) - n
		chosen := choose(calls, within/most, through/most)
		for _, c := range chosen {
			if c.packages() > 1 {
				through--
			} else {
				within--
			}
		}
		fmt.Fprintf(out, "%s: %d calls, %d of them chosen\n", targets()[i].module(), len(calls), len(chosen))
		for _, c := range chosen {
			cells = append(cells, c.cells(targets()[i].module())...)
		}
	}
	differs := len(cells) != len(old)
	for i := range cells {
		c := &cells[i]
		var known bool
		if c.verdict, known = verdicts[c.key()]; !known {
			c.verdict = "unjudged"
			if strings.HasPrefix(c.says, "unknown") {
				c.verdict = "unknown"
			}
			differs = true
			fmt.Fprintf(out, "  new: %s\n", c.key())
		}
	}
	if update {
		return replace(file, writeCells(cells))
	}
	if differs {
		return errors.New("the cells differ from audit.txt; run with -update, compare what is new with the code, give it a verdict there, and run -results")
	}
	return nil
}

// auditCall is a call as the audit's JSON has it.
type auditCall struct {
	File, Function, Operation string
	Line                      int
	Way                       []string
	Cells                     map[string]auditCell
}

type auditCell struct{ State, Value, Why, By string }

// cells are the lines of a call.
func (c auditCall) cells(module string) []judgedCell {
	var out []judgedCell
	for _, column := range auditColumns {
		x := c.Cells[column]
		says := x.State
		if x.Value != "" {
			says += " " + x.Value
		}
		if x.By != "" {
			says += " by " + x.By
		}
		if x.Why != "" {
			says += " (" + x.Why + ")"
		}
		out = append(out, judgedCell{call: fmt.Sprintf("%s %s:%d %s %s", module, c.File, c.Line, c.Function, c.Operation), column: column, says: says})
	}
	return out
}

// packages counts the packages on the way to the send.
func (c auditCall) packages() int {
	seen := map[string]bool{}
	for _, at := range c.Way {
		seen[at[:max(strings.LastIndexByte(at, '/'), 0)]] = true
	}
	return len(seen)
}

// choose takes calls by chance: those whose hash with the seed is lowest, so that a call
// that comes or goes does not change which of the others are taken.
func choose(calls []auditCall, within, through int) []auditCall {
	ranked := slices.Clone(calls)
	slices.SortStableFunc(ranked, func(a, b auditCall) int { return strings.Compare(a.rank(), b.rank()) })
	var chosen []auditCall
	for _, c := range ranked {
		left := &within
		if c.packages() > 1 {
			left = &through
		}
		if *left > 0 {
			*left--
			chosen = append(chosen, c)
		}
	}
	slices.SortFunc(chosen, func(a, b auditCall) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), strings.Compare(a.Function, b.Function))
	})
	return chosen
}

// rank is the place of a call in the order of chance.
func (c auditCall) rank() string {
	return fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%d %s %s %s %v %v", auditSeed, c.File, c.Function, c.Operation, c.Cells["method"].Value, c.Cells["url"].Value)))
}

// audit runs the linter's audit on a target.
func (l *linter) audit(t target) ([]auditCall, error) {
	args := []string{"audit", "-format=json", "-tests=false"}
	cmd, err := l.command(t, args)
	if err != nil {
		return nil, err
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, _ := cmd.Output() // what cannot be had makes it exit with 2
	var doc struct{ Calls []json.RawMessage }
	if err := json.Unmarshal(out, &doc); err != nil {
		return nil, fmt.Errorf("%w: %s", err, bytes.TrimSpace(stderr.Bytes()))
	}
	var calls []auditCall
	for _, raw := range doc.Calls {
		var c auditCall
		var fields map[string]json.RawMessage
		if err := errors.Join(json.Unmarshal(raw, &c), json.Unmarshal(raw, &fields)); err != nil {
			return nil, err
		}
		c.Cells = map[string]auditCell{}
		for _, column := range auditColumns {
			var x auditCell
			if err := json.Unmarshal(fields[column], &x); err != nil {
				return nil, fmt.Errorf("%s: %w", column, err)
			}
			c.Cells[column] = x
		}
		_, file, ok := strings.Cut(filepath.ToSlash(c.File), "@"+t.version+"/")
		if !ok {
			return nil, fmt.Errorf("a call in %s, which is outside of the module", c.File)
		}
		c.File = file
		calls = append(calls, c)
	}
	return calls, nil
}

// command prepares a run of the linter on a target, in a scratch module.
func (l *linter) command(t target, args []string) (*exec.Cmd, error) {
	if err := errors.Join(os.RemoveAll(l.scratch), os.MkdirAll(l.scratch, 0o777)); err != nil {
		return nil, err
	}
	mod := fmt.Sprintf("module scratch\n\ngo 1.26\n\nrequire %s %s\n", t.path, t.version)
	if err := os.WriteFile(filepath.Join(l.scratch, "go.mod"), []byte(mod), 0o666); err != nil {
		return nil, err
	}
	for _, p := range t.packages {
		args = append(args, strings.TrimSuffix(t.path+"/"+p, "/"))
	}
	cmd := exec.Command(l.program, args...)
	cmd.Dir = l.scratch
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "PWD="+l.scratch)
	return cmd, nil
}

const auditHeading = "# Cells of calls that were taken by chance, compared with the code. Written by go run ./internal/corpus -audit -update;\n" +
	"# the verdicts, after the last tab, by people who read the code: right, wrong, or unknown where the audit does not know.\n"

func writeCells(cells []judgedCell) string {
	var b strings.Builder
	b.WriteString(auditHeading)
	call := ""
	for _, c := range cells {
		if c.call != call {
			call = c.call
			fmt.Fprintf(&b, "= %s\n", call)
		}
		fmt.Fprintf(&b, "%s\t%s\t%s\n", c.column, c.says, c.verdict)
	}
	return b.String()
}

// readCells reads audit.txt.
func readCells(file string) ([]judgedCell, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var out []judgedCell
	call := ""
	for n, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		if rest, ok := strings.CutPrefix(line, "= "); ok {
			call = rest
			continue
		}
		parts := strings.Split(line, "\t")
		if len(parts) != 3 || call == "" {
			return nil, fmt.Errorf("%s:%d: want a column, what it says, and a verdict, between tabs, below a call", file, n+1)
		}
		switch verdict, _, _ := strings.Cut(parts[2], ":"); verdict {
		case "right", "wrong", "unknown", "unjudged":
		default:
			return nil, fmt.Errorf("%s:%d: verdict %q: want right, wrong, unknown or unjudged", file, n+1, verdict)
		}
		if unknown := strings.HasPrefix(parts[1], "unknown"); unknown != strings.HasPrefix(parts[2], "unknown") {
			return nil, fmt.Errorf("%s:%d: what the audit does not know is unknown, and nothing else", file, n+1)
		}
		out = append(out, judgedCell{call, parts[0], parts[1], parts[2]})
	}
	return out, nil
}

// A pageColumn counts the cells of one column.
type pageColumn struct {
	Name                            string
	Right, Wrong, Unknown, Unjudged int
}

// countCells counts verdicts by column, and calls.
func countCells(cells []judgedCell) (columns []pageColumn, calls int) {
	seen := map[string]bool{}
	for _, name := range auditColumns {
		col := pageColumn{Name: name}
		for _, c := range cells {
			seen[c.call] = true
			if c.column != name {
				continue
			}
			switch verdict, _, _ := strings.Cut(c.verdict, ":"); verdict {
			case "right":
				col.Right++
			case "wrong":
				col.Wrong++
			case "unknown":
				col.Unknown++
			default:
				col.Unjudged++
			}
		}
		columns = append(columns, col)
	}
	return columns, len(seen)
}
