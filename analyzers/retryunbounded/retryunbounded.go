// Package retryunbounded reports limits of 0 attempts that are no limit at all.
package retryunbounded

import (
	"golang.org/x/tools/go/analysis"

	"github.com/resiliencevet/resiliencevet/internal/policy"
	"github.com/resiliencevet/resiliencevet/internal/rule"
)

// Analyzer is the rule with its defaults, for drivers that want a variable.
var Analyzer = New(policy.New(policy.Config{}), rule.Options{})

// New makes the analyzer over a model, which is shared by the rules of a run.
func New(model *analysis.Analyzer, opts rule.Options) *analysis.Analyzer {
	return rule.New(Doc(), model, opts)
}

// Doc returns the rule's documentation.
func Doc() rule.Doc {
	return rule.Doc{
		Name:  "retryunbounded",
		Title: "0 attempts are without a limit",
		What: "An option that sets the number of attempts is given 0, and for this library 0 means that there is no limit: retry-go's Attempts, backoff's WithMaxTries (v5, together with WithMaxElapsedTime(0)), failsafe-go's WithMaxAttempts, and AddWithMaxAttempts of the AWS SDK. " +
			"The number is followed through variables, fields, options and functions, in other packages too, from where it is given to the retry that it is for.\n\n" +
			"The finding stands where the option is made, or, where a function hands the number on, at the call that gives it. Loops without a library, `for {}` among them, are not looked at.",
		Why: "Libraries do not agree on what 0 is: for some it turns the retry off, for some it is the default, for these it takes the limit away. Who writes 0 to have no retry gets one that goes on for as long as the call fails: " +
			"in an outage every caller hangs, and all of them keep sending. No test of a call that succeeds shows it.",
		Risky: `err := retry.Do(send, retry.Attempts(0)) // does not end before send succeeds`,
		Safe:  `err := retry.Do(send, retry.Attempts(1)) // one attempt`,
		SilentWhen: []string{
			"an option that carries a context stands in the same call, or a context that may end is its argument; of a policy that is built for itself: the package gives one to any executor",
			"a bound of time stands beside it",
			"a condition, an option about one error, or an error that what is retried marks as final decides when it ends; the function that is retried is not known",
			"somebody says that it is meant so: UntilSucceeded and the like, a negative number, a comment, or a name of the constant or of the function with a word such as unlimited, forever, until, wait",
			"an option beside it is not known, or the options are put together where the function does not see it",
			"on some way through the function the number is another one, or not known",
			"it is in a test",
		},
		Since:    "v0.3.0",
		Severity: policy.Warning,
		Default:  true,
	}
}
