package main

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
)

// row is what runs have in common that are compared.
type row struct {
	kind  kind
	cache string // cold or warm
}

// kinds are those that are measured, in the order of the table.
func kinds() []kind { return []kind{empty, staticcheck, ours} }

// table collects the runs.
type table struct {
	linter   string // its commit
	packages int
	runs     int
	work     work
	rows     map[row]*column
}

// column is the samples of one row.
type column struct {
	self, children, peak, cache []float64
	findings, failed            []int
}

// add puts a run into the table. size is that of its cache.
func (t *table) add(r row, s *sample, size int64) {
	if t.rows == nil {
		t.rows = map[row]*column{}
	}
	c := t.rows[r]
	if c == nil {
		c = &column{}
		t.rows[r] = c
	}
	c.self = append(c.self, s.Self)
	c.children = append(c.children, s.Children)
	c.peak = append(c.peak, float64(s.Peak)/(1<<20))
	c.cache = append(c.cache, float64(size)/(1<<20))
	c.findings = append(c.findings, s.Findings)
	c.failed = append(c.failed, s.Failed)
}

// The limits for the ratios ours/empty.
const (
	limitCold   = 1.3
	limitWarm   = 1.1
	limitMemory = 1.3
)

// write prints medians, spreads and ratios.
func (t *table) write(w io.Writer, name string) error {
	var errs []error
	printf := func(w io.Writer, format string, args ...any) {
		_, err := fmt.Fprintf(w, format, args...)
		errs = append(errs, err)
	}
	printf(w, "%s without tests: %d packages in its build\n", name, t.packages)
	printf(w, "linter %s, %s %s/%s, %d processors, medians of %d\n\n", t.linter, runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), t.runs)
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	printf(tw, "\tcache\tCPU s\tfrom-to\t(go list)\tpeak MB\tfrom-to\tcache MB\tfindings\tfailed\t\n")
	for _, cache := range []string{"cold", "warm"} {
		for _, k := range kinds() {
			c := t.rows[row{k, cache}]
			printf(tw, "%s\t%s\t%.2f\t%.2f-%.2f\t%.2f\t%.0f\t%.0f-%.0f\t%.1f\t%d\t%d\t\n", k, cache,
				median(c.self), slices.Min(c.self), slices.Max(c.self), median(c.children),
				median(c.peak), slices.Min(c.peak), slices.Max(c.peak), median(c.cache), median(c.findings), median(c.failed))
		}
	}
	errs = append(errs, tw.Flush())
	printf(w, "\n")
	tw = tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	printf(tw, "ratio of medians\tcache\tCPU\tlimit\tmemory\tlimit\t\n")
	for _, line := range []struct {
		than  kind
		cache string
		cpu   float64
	}{{empty, "cold", limitCold}, {empty, "warm", limitWarm}, {staticcheck, "cold", 0}, {staticcheck, "warm", 0}} {
		e, o := t.rows[row{line.than, line.cache}], t.rows[row{ours, line.cache}]
		cpu, memory := median(o.self)/median(e.self), median(o.peak)/median(e.peak)
		if line.cpu == 0 { // to be looked at, with no limit
			printf(tw, "ours/%s\t%s\t%.2f\t\t%.2f\t\t\n", line.than, line.cache, cpu, memory)
			continue
		}
		printf(tw, "ours/%s\t%s\t%.2f\t%.2f%s\t%.2f\t%.2f%s\t\n", line.than, line.cache,
			cpu, line.cpu, mark(cpu > line.cpu), memory, limitMemory, mark(memory > limitMemory))
	}
	errs = append(errs, tw.Flush())
	k := t.work
	printf(w, "\nSSA form: %d of %d functions, in %d of %d packages outside of the standard library\n", k.Built, k.Functions, k.Modelled, k.Packages)
	printf(w, "most of them: %s\n", strings.Join(k.Most, ", "))
	printf(w, "facts: %d, of %d bytes, in %d packages\n", k.Facts, k.FactBytes, k.Carriers)
	if len(k.Largest) > 0 {
		printf(w, "most bytes: %s\n", strings.Join(k.Largest, ", "))
	}
	return errors.Join(errs...)
}

// mark shows what is over its limit.
func mark(over bool) string {
	if over {
		return "!"
	}
	return " "
}

// median is the value in the middle; of an even number of them the lower one.
func median[T int | float64](values []T) T {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[(len(sorted)-1)/2]
}
