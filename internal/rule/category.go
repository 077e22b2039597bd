package rule

import (
	"strings"

	"github.com/resiliencevet/resiliencevet/internal/policy"
)

// A Category is what travels with a diagnostic from the analyzer to the
// command line. honnef's runner keeps only the text of Diagnostic.Category
// (and fills it with the analyzer's name if it is empty), so everything the
// command line must know about a finding beside its message is in that text:
//
//	retrynokey:error
//	retrynokey:error:suppressed
//	internal:retrynokey
type Category struct {
	Rule       string          // the rule that speaks, or in which the failure happened
	Internal   bool            // a failure of this program, not a finding
	Severity   policy.Severity // empty when Internal
	Suppressed bool            // a comment silences it; only kept for those who want to list them
}

const (
	internalPrefix   = "internal:"
	suppressedSuffix = ":suppressed"
)

// String encodes the category.
func (c Category) String() string {
	if c.Internal {
		return internalPrefix + c.Rule
	}
	s := c.Rule + ":" + string(c.Severity)
	if c.Suppressed {
		s += suppressedSuffix
	}
	return s
}

// ParseCategory decodes what String made. ok is false for any other text.
func ParseCategory(s string) (c Category, ok bool) {
	if name, found := strings.CutPrefix(s, internalPrefix); found {
		return Category{Rule: name, Internal: true}, name != ""
	}
	s, c.Suppressed = strings.CutSuffix(s, suppressedSuffix)
	name, severity, found := strings.Cut(s, ":")
	if !found || name == "" {
		return Category{}, false
	}
	c.Rule, c.Severity = name, policy.Severity(severity)
	return c, Rank(c.Severity) > 0
}

// Rank orders severities: the worse, the larger; 0 for a text that is none.
func Rank(s policy.Severity) int {
	switch s {
	case policy.Error:
		return 3
	case policy.Warning:
		return 2
	case policy.Info:
		return 1
	}
	return 0
}
