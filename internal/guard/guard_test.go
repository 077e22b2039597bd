package guard_test

import (
	"errors"
	"regexp"
	"testing"

	"github.com/resiliencevet/resiliencevet/internal/guard"
)

func TestDo(t *testing.T) {
	t.Parallel()
	var empty []int
	tests := map[string]struct {
		f    func() error
		want string // a regular expression; empty when nothing went wrong
	}{
		"nothing":   {func() error { return nil }, ""},
		"error":     {func() error { return errors.New("no\n  luck") }, `^no luck$`},
		"value":     {func() error { panic("boom") }, `^panic: boom \(`},
		"nil value": {func() error { panic(nil) }, `^panic: panic called with nil`},
		"runtime":   {func() error { _ = empty[3]; return nil }, `^panic: runtime error: index out of range \[3\]`},
		"deferred": {func() error {
			defer func() { panic("second") }()
			panic("first")
		}, `second`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			failure := guard.Do(test.f)
			if test.want == "" {
				if failure != nil {
					t.Fatalf("failure %v, want none", failure)
				}
				return
			}
			if failure == nil {
				t.Fatal("no failure")
			}
			if got := failure.Error(); !regexp.MustCompile(test.want).MatchString(got) {
				t.Errorf("got %q, want a match of %q", got, test.want)
			}
		})
	}
}

func TestSite(t *testing.T) {
	t.Parallel()
	// Code of this very package is skipped, so the site is in this test, which
	// is a package of its own.
	failure := guard.Do(func() error { panic("x") })
	if failure == nil {
		t.Fatal("no failure")
	}
	if want := regexp.MustCompile(`^internal/guard_test/guard_test\.go:\d+$`); !want.MatchString(failure.At) {
		t.Errorf("site %q, want a match of %v", failure.At, want)
	}
}
