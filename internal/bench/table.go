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

// table collects the runs.
type table struct {
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

// The limits of docs/architecture.md, for the ratios ours/empty.
const (
	limitCold   = 1.3
	limitWarm   = 1.1
	limitMemory = 1.3
)

// write prints the medians and the ratios.
func (t *table) write(w io.Writer, module string) error {
	var errs []error
	printf := func(w io.Writer, format string, args ...any) {
		_, err := fmt.Fprintf(w, format, args...)
		errs = append(errs, err)
	}
	printf(w, "%s without tests: %d packages in its build\n", module, t.packages)
	printf(w, "%s %s/%s, %d processors, medians of %d\n\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), t.runs)
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	printf(tw, "\tcache\tCPU s\t(go list)\tpeak MB\tcache MB\tfindings\tfailed\t\n")
	ratio := map[string][2]float64{}
	for _, cache := range []string{"cold", "warm"} {
		for _, k := range []kind{empty, ours} {
			c := t.rows[row{k, cache}]
			printf(tw, "%s\t%s\t%.2f\t%.2f\t%.0f\t%.1f\t%d\t%d\t\n", k, cache,
				median(c.self), median(c.children), median(c.peak), median(c.cache), median(c.findings), median(c.failed))
		}
		e, o := t.rows[row{empty, cache}], t.rows[row{ours, cache}]
		ratio[cache] = [2]float64{median(o.self) / median(e.self), median(o.peak) / median(e.peak)}
	}
	errs = append(errs, tw.Flush())
	printf(w, "\nours/empty   CPU    limit  memory  limit\n")
	for _, line := range []struct {
		cache string
		cpu   float64
	}{{"cold", limitCold}, {"warm", limitWarm}} {
		r := ratio[line.cache]
		printf(w, "%-10s  %5.2f  %5.2f%s  %5.2f  %5.2f%s\n", line.cache, r[0], line.cpu, mark(r[0] > line.cpu), r[1], limitMemory, mark(r[1] > limitMemory))
	}
	k := t.work
	printf(w, "\nSSA form: %d of %d functions, in %d of %d packages outside of the standard library\n", k.Built, k.Functions, k.Modelled, k.Packages)
	printf(w, "most of them: %s\n", strings.Join(k.Most, ", "))
	printf(w, "facts: %d of their own, %d bytes\n", k.Facts, k.FactBytes)
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
