// Package inheritedpolicy reports clients of language models that run on the policy
// which their library brings along.
package inheritedpolicy

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
		Name:  "inheritedpolicy",
		Title: "a client of a language model inherits a policy that nobody stated",
		What: "A client of a language model is made, and no option says how often it sends, how long that may take, or through which HTTP client; http.DefaultClient is no answer to that. " +
			"Known are openai-go (v1 to v3), anthropic-sdk-go (v1, v2), and the other SDKs of the tables that retry by themselves. Options are followed through variables and functions, in other packages too.\n\n" +
			"The rule is for audits, and is off by default: `-rules=default,inheritedpolicy` adds it.",
		Why: "An SDK that retries by itself has made a decision for you: three attempts for each POST, without an idempotency key. A generation that took long and then failed is paid for three times, and an outage gets three times the load. " +
			"Nothing ends a stream that has gone silent. All of that may be right; the point is that somebody has thought of it, and that the next reader sees the numbers.",
		Risky: `client := openai.NewClient(option.WithAPIKey(key)) // three attempts, no idle deadline`,
		Safe: `client := openai.NewClient(option.WithAPIKey(key),
	option.WithMaxRetries(0),                   // the caller retries
	option.WithRequestTimeout(30*time.Second))  // each attempt, its body included`,
		SilentWhen: []string{
			"an option states the number of retries, a timeout, or an HTTP client, on any way through the function",
			"options come from where they are not known: a parameter (its callers are asked, as far as they are in view), middleware, or a function of the package's own",
			"a call of the package states such a thing for itself, is given options that are not known, or the options of a client that was made are changed",
			"the SDK sends once by default, as go-openai and genai do; or it is one of AWS, whose configuration is shared by all services",
			"another package makes the client, and takes no options for it: there it is reported",
			"it is made in a test",
		},
		Since:    "v0.3.0",
		Severity: policy.Info,
		Default:  false,
	}
}
