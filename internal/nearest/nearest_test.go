package nearest_test

import (
	"testing"

	"github.com/resiliencevet/resiliencevet/internal/nearest"
)

func TestDistance(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0},
		{"abc", "abd", 1}, {"kitten", "sitting", 3}, {"flaw", "lawn", 2},
	} {
		if got := nearest.Distance(test.a, test.b); got != test.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", test.a, test.b, got, test.want)
		}
	}
}

func TestTo(t *testing.T) {
	t.Parallel()
	names := []string{"fanout", "retryfreshkey", "retrynokey"}
	for name, want := range map[string]string{
		"retrynokeys": "retrynokey",
		"retrynokey":  "retrynokey",
		"fan":         "",
		"fanou":       "fanout",
		"bodyclose":   "",
		"":            "",
	} {
		if got := nearest.To(name, names); got != want {
			t.Errorf("To(%q) = %q, want %q", name, got, want)
		}
	}
}
