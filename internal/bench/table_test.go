package main

import (
	"strings"
	"testing"
)

func TestMedian(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		values []float64
		want   float64
	}{
		{[]float64{7}, 7},
		{[]float64{3, 1}, 1},
		{[]float64{9, 1, 5}, 5},
	} {
		if got := median(test.values); got != test.want {
			t.Errorf("median(%v) = %v, want %v", test.values, got, test.want)
		}
	}
}

func TestTable(t *testing.T) {
	t.Parallel()
	const mb = 1 << 20
	tab := &table{packages: 12, runs: 3, work: work{Packages: 5, Modelled: 2, Functions: 40, Built: 7, Facts: 3, FactBytes: 90, Most: []string{"a/b 4", "c 3"}}}
	for i := range 3 {
		extra := float64(i)
		tab.add(row{empty, "cold"}, &sample{Self: 10 + extra, Children: 2, Peak: 100 * mb}, mb)
		tab.add(row{ours, "cold"}, &sample{Self: 22 - extra, Children: 3, Peak: 120 * mb, Findings: 4, Failed: 1}, 2*mb)
		tab.add(row{empty, "warm"}, &sample{Self: 1, Peak: 50 * mb}, mb)
		tab.add(row{ours, "warm"}, &sample{Self: 1, Peak: 50 * mb, Findings: 4, Failed: 1}, 2*mb)
	}
	var b strings.Builder
	if err := tab.write(&b, "example.com/m@v1.0.0"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"example.com/m@v1.0.0 without tests: 12 packages in its build\n",
		", medians of 3\n",
		"  ours   cold  21.00       3.00      120       2.0         4       1\n",
		"cold         1.91   1.30!   1.20   1.30 \n",
		"warm         1.00   1.10    1.00   1.30 \n",
		"SSA form: 7 of 40 functions, in 2 of 5 packages outside of the standard library\n",
		"most of them: a/b 4, c 3\n",
		"facts: 3 of their own, 90 bytes\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}
