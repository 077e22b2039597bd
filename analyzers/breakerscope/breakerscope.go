// Package breakerscope reports circuit breakers that live no longer than the call
// that they are there for.
package breakerscope

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
		Name:  "breakerscope",
		Title: "a circuit breaker is made for one call",
		What: "A function makes a circuit breaker, runs one call under it, and returns: what the breaker has counted goes with it. Known are gobreaker, failsafe-go's circuitbreaker, and the breaker of eapache's go-resiliency; " +
			"builders, executors and HTTP transports that are made from one are followed, and so is a function of the package that only makes one and returns it.\n\n" +
			"The finding stands where the breaker is made, or where the function that makes it is called.",
		Why: "A breaker helps by remembering: after so many failures it refuses, and the dependency gets time to recover. One that is made for each call begins with a count of zero each time. " +
			"It never opens, every call waits for its own timeout during an outage, and the dependency gets all of the load. The code looks protected, and no test of a single call shows that it is not.",
		Risky: `func (c *Client) Get(url string) (*http.Response, error) {
	cb := gobreaker.NewCircuitBreaker[*http.Response](settings)
	return cb.Execute(func() (*http.Response, error) { return c.hc.Get(url) })
}`,
		Safe: `type Client struct {
	hc *http.Client
	cb *gobreaker.CircuitBreaker[*http.Response] // made once, in New
}

func (c *Client) Get(url string) (*http.Response, error) {
	return c.cb.Execute(func() (*http.Response, error) { return c.hc.Get(url) })
}`,
		SilentWhen: []string{
			"it is put into a field, a variable of the package, a map or a channel, is returned, or is given to another function that is not one of the library's for that",
			"a function literal uses it: how often that runs is not known",
			"it is used in a loop that begins after it was made, or more than once in a row: one job with many calls",
			"the function is main or init, is called by main itself, or makes things by its name (New, Must, Open, Connect, Dial, Init, Setup, Start); handlers in main are looked at",
			"it is made in a test, or in a function that is given to sync.Once and the like",
			"its counts are elsewhere: gobreaker's distributed breaker, and hystrix, which finds circuits by their names",
			"the object that keeps it is itself made for every call",
		},
		Since:    "v0.3.0",
		Severity: policy.Warning,
		Default:  true,
	}
}
