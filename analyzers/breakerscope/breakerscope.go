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
		What: "A circuit breaker is made, runs one call, and then nothing leads to it any more: what it has counted is lost. Known are gobreaker, failsafe-go's circuitbreaker, and the breaker of eapache's go-resiliency; " +
			"builders, executors and HTTP transports that are made from one are followed, and so are clients that hold one, through constructors, options and methods of this and of other packages.\n\n" +
			"The finding stands in the function in which the breaker's life ends, where it is made, or where what makes it is called.",
		Why: "A breaker helps by remembering: after so many failures it refuses, and the dependency gets time to recover. One that is made for each call begins with a count of zero each time. " +
			"No call ever finds it open, every call waits for its own timeout during an outage, and the dependency gets all of the load. The code looks protected, and no test of a single call shows that it is not.",
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
			"on some way through the function it is put where it may be kept: a variable of the package, a field of something that outlives the call, a map, a slice that grows, a channel, or code that cannot be seen",
			"a function literal that such code is given uses it: how often that runs is not known",
			"it is used more than once before it goes: one job with many calls, or a second call after the first has failed",
			"the function runs once: main, init, what they alone call, commands of cobra and urfave/cli, and what makes or starts things by its name (run, New, Must, Open, Connect, Dial, Init, Setup, Start). A loop in one, and handlers, are looked at",
			"it is made in a test, or in a function that is given to sync.Once and the like",
			"its counts are elsewhere: gobreaker's distributed breaker, and hystrix, which finds circuits by their names",
		},
		Since:    "v0.3.0",
		Severity: policy.Warning,
		Default:  true,
	}
}
