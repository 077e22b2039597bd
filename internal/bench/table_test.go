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
	tab := &table{linter: "abc", packages: 12, runs: 3, work: work{
		Packages: 5, Modelled: 2, Functions: 40, Built: 7, Facts: 3, FactBytes: 90, Carriers: 2,
		Most: []string{"a/b 4", "c 3"}, Largest: []string{"c 60", "a/b 30"},
	}}
	for i := range 3 {
		extra := float64(i)
		tab.add(row{empty, "cold"}, &sample{Self: 10 + extra, Children: 2, Peak: int64(100+10*i) * mb}, mb)
		tab.add(row{staticcheck, "cold"}, &sample{Self: 42, Children: 2, Peak: 220 * mb, Findings: 9}, 3*mb)
		tab.add(row{ours, "cold"}, &sample{Self: 22 - extra, Children: 3, Peak: 121 * mb, Findings: 4, Failed: 1}, 2*mb)
		for _, k := range kinds() {
			tab.add(row{k, "warm"}, &sample{Self: 1, Peak: 50 * mb, Findings: 4, Failed: 1}, 2*mb)
		}
	}
	var b strings.Builder
	if err := tab.write(&b, "example.com/m@v1.0.0"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"example.com/m@v1.0.0 without tests: 12 packages in its build\n",
		"\nlinter abc, go",
		", medians of 3\n",
		"        empty   cold  11.00  10.00-12.00       2.00      110  100-120       1.0         0       0\n",
		"         ours   cold  21.00  20.00-22.00       3.00      121  121-121       2.0         4       1\n",
		"        ours/empty   cold  1.91  1.30!    1.10  1.30 \n",
		"        ours/empty   warm  1.00  1.10     1.00  1.30 \n",
		"  ours/staticcheck   cold  0.50           0.55       \n",
		"SSA form: 7 of 40 functions, in 2 of 5 packages outside of the standard library\n",
		"most of them: a/b 4, c 3\n",
		"facts: 3, of 90 bytes, in 2 packages\n",
		"most bytes: c 60, a/b 30\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

func TestParseSubject(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]subject{
		"example.com/m@v1.2.3":          {"example.com/m@v1.2.3", "./..."},
		"example.com/m@v1.2.3/a/...":    {"example.com/m@v1.2.3", "./a/..."},
		"example.com/m/v2@v2.0.0-x/a/b": {"example.com/m/v2@v2.0.0-x", "./a/b"},
	} {
		if got, err := parseSubject(name); err != nil || got != want {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	for _, name := range []string{"", "example.com/m", "@v1", "example.com/m@"} {
		if got, err := parseSubject(name); err == nil {
			t.Errorf("%q is taken for %v", name, got)
		}
	}
	for _, name := range subjects() {
		if _, err := parseSubject(name); err != nil {
			t.Error(err)
		}
	}
}
