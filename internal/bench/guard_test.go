package main

import (
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/resiliencevet/resiliencevet/internal/policy"
)

// builtFunctions is how many functions the model puts into SSA form in each
// package of testdata/guard. That is what it costs most, and unlike time the
// number is the same on every machine.
func builtFunctions() map[string]int {
	return map[string]int{
		"guard/quiet":        1, // one function is given a function: it might be a retry helper for others
		"guard/server":       0, // sends nothing
		"guard/once":         6, // repeats nothing itself, but importers may repeat it
		"guard/pay":          4, // Pay and what it calls, and Ask, which sends; not Total
		"guard/helper":       3, // Post, retry and Head, which sends; not Sum
		"guard/chain":        6, // All, and the chain below it with trim; not Apart
		"guard/rounds":       3, // both RoundTrips, since either may be the other's Next, and again
		"guard/generic":      4, // Number, Create, retry and post; not First
		"guard/across/retry": 1, // the helper, for those that import it
		"guard/across/use":   2, // what the helper of the other package repeats
	}
}

// TestWorkGuard fails when the model begins to look at more functions than it
// did.
func TestWorkGuard(t *testing.T) {
	// Not in parallel: honnef.co/go/tools v0.8.2 keeps build ids in a map of the
	// process (go/loader/hash.go), which two runners write at once.
	counter := watch(policy.New(policy.Config{}))
	_, failed, err := analyze(filepath.Join("testdata", "guard"), t.TempDir(), counter.analyzers, []string{"./..."})
	if err != nil {
		t.Fatal(err)
	}
	if failed > 0 {
		t.Fatalf("%d packages could not be analyzed", failed)
	}
	want, grown := builtFunctions(), false
	for _, path := range slices.Sorted(maps.Keys(counter.built)) {
		got := counter.built[path]
		limit, known := want[path]
		switch {
		case !known:
			t.Errorf("%s is not in builtFunctions: it has %d functions in SSA form", path, got)
		case got > limit:
			t.Errorf("%s has %d functions in SSA form, and had %d", path, got, limit)
			grown = true
		case got < limit:
			t.Logf("%s has %d functions in SSA form, fewer than %d: lower the number in builtFunctions", path, got, limit)
		}
		delete(want, path)
	}
	if grown {
		t.Error("the model does more work than it did. If a finding needs it, write the new number into builtFunctions " +
			"with the reason beside it, and see with `go run ./internal/bench` what it costs on a real module. " +
			"If none does, narrow what internal/policy builds.")
	}
	for path := range want {
		t.Errorf("%s is in builtFunctions, but was not analyzed", path)
	}
}
