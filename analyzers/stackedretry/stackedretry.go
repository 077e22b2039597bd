// Package stackedretry reports retries that stand around other retries, so that
// their attempts multiply.
package stackedretry

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
		Name:  "stackedretry",
		Title: "retry layers multiply",
		What: "A retry stands around another one, and both try again after the same failure. Layers are found in code, whoever wrote it: loops, recursion, helpers that are given a closure, retrying transports, in this package, in others, and in libraries " +
			"whose code is followed, such as go-retryablehttp, resty or backoff. The clients of services that try again by themselves (openai-go, anthropic-sdk-go, stripe-go, aws-sdk-go-v2, azcore, cohere-go and others) are known from tables: how often by default, " +
			"which option changes it, and what switches it off.\n\n" +
			"The message begins with the product, outermost layer first: `up to 5 × 3 = 15 requests for one call`. It says numbers only where both are known for certain: the layers are run with a server that fails every time. " +
			"The finding stands where the two can be parted: at the call that the outer layer repeats, at what sends through transports that stand in each other, or at the option that hands a retrying client to a client that retries. " +
			"It is an error from a product of six, or if the method is unsafe.",
		Why: "Each layer was written by someone who wanted one failure not to matter. Together they are a load that nobody chose, and it comes when the server is ill: five attempts of three are fifteen requests for every one that people make, " +
			"and a third layer makes it forty-five. The caller waits for the sum of all pauses, and a deadline that was right for one layer ends inside the other. A short illness shows nothing of it: the inner layer alone gets over that.",
		Risky: `hc := retryablehttp.NewClient() // five attempts
client := openai.NewClient(
	option.WithHTTPClient(hc.StandardClient()), // under three more
)`,
		Safe: `hc := retryablehttp.NewClient()
client := openai.NewClient(
	option.WithHTTPClient(hc.StandardClient()),
	option.WithMaxRetries(0),
)`,
		Runtime: "`resilience.NewTransport` refuses a base that already retries, and names both layers.",
		SilentWhen: []string{
			"one of the layers is switched off, as its library spells it (`RetryMax = 0`, `WithMaxRetries(0)`, `MaxRetries: -1`)",
			"the layers try again after different failures: a conflict around a 429, an error of the application around a connection error",
			"the outer loop goes round after a success as well: it polls, or takes the next item",
			"every round of the outer loop asks another host or another resource",
			"both spend from one budget, so that their numbers do not multiply",
			"it is not known with which options a client was made, or what it is given",
			"both layers are in one package that this one only calls: it is reported there",
		},
		Since:    "v0.3.0",
		Severity: policy.Error,
		Default:  true,
	}
}
