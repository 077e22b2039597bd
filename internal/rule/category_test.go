package rule_test

import (
	"testing"

	"github.com/resiliencevet/resiliencevet/internal/policy"
	"github.com/resiliencevet/resiliencevet/internal/rule"
)

func TestCategory(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]rule.Category{
		"retrynokey:error":              {Rule: "retrynokey", Severity: policy.Error},
		"retrynokey:warning:suppressed": {Rule: "retrynokey", Severity: policy.Warning, Suppressed: true},
		"retrynokey:info":               {Rule: "retrynokey", Severity: policy.Info},
		"internal:retrynokey":           {Rule: "retrynokey", Internal: true},
	} {
		got, ok := rule.ParseCategory(text)
		if !ok || got != want {
			t.Errorf("ParseCategory(%q) = %+v, %v, want %+v", text, got, ok, want)
		}
		if got := want.String(); got != text {
			t.Errorf("%+v.String() = %q, want %q", want, got, text)
		}
	}
	for _, text := range []string{"", "retrynokey", "retrynokey:", "retrynokey:fatal", ":error", "internal:", "retrynokey:suppressed"} {
		if got, ok := rule.ParseCategory(text); ok {
			t.Errorf("ParseCategory(%q) = %+v, want none", text, got)
		}
	}
}

func TestRank(t *testing.T) {
	t.Parallel()
	order := []policy.Severity{"", policy.Info, policy.Warning, policy.Error}
	for i, s := range order {
		if rule.Rank(s) != i {
			t.Errorf("Rank(%q) = %d, want %d", s, rule.Rank(s), i)
		}
	}
}
