// Package streamnoidle reports streams that are read with no deadline between two pieces.
package streamnoidle

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
		Name:  "streamnoidle",
		Title: "a streamed body is read with no idle deadline",
		What: "A streamed answer is read piece by piece, and nothing ends a reading that waits: no deadline that arriving data renews, and no total one either. It is a stream when the code shows it: the request asks for server-sent events, NDJSON or `\"stream\": true`, the reader looks for `data:` lines, the answer is an SDK's stream, or pieces leave the function before the end, to a callback, into a channel or flushed to a client. The body may be returned and read in another function, by a method that is called again and again, or by a goroutine.\n\n" +
			"The finding stands at the reading. Its message says what is known of the client's `Timeout` and of the request's context; a client whose `Timeout` is not known is reported too, since with one the stream would be cut instead ([streamtotal](streamtotal.md)).",
		Why: "A connection that stays open and brings nothing is no error. TCP keep-alives answer as long as the machine runs, and none of `ResponseHeaderTimeout`, `IdleConnTimeout`, `TLSHandshakeTimeout` and the dialer's `Timeout` covers the body. So a model server that hangs after a hundred tokens holds the goroutine, the connection and whoever waits for the answer, until somebody gives up.\n\n" +
			"A `select` on `ctx.Done()` beside the reading does not interrupt it unless the request carries that context.",
		Risky: `req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, body)
...
sc := bufio.NewScanner(resp.Body)
for sc.Scan() {
	show(sc.Text())
}`,
		Safe: `ctx, cancel := context.WithCancel(ctx)
defer cancel()
watchdog := time.AfterFunc(firstToken, cancel)
defer watchdog.Stop()
req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, body)
...
for sc.Scan() {
	if data, ok := strings.CutPrefix(sc.Text(), "data: "); ok {
		watchdog.Reset(idle) // for content, not for pings
		show(data)
	}
}`,
		Runtime: "`resilience.NewStream` has three budgets, for the first token, between two contents and for the whole, and closes the body when one of them expires.",
		SilentWhen: []string{
			"a timer that the loop, a reader around the body or a helper renews cancels the request's context or closes the body",
			"a goroutine with a timer or a ticker does so, or whoever waits for what a reading goroutine hands over, beside a timer",
			"the connections of the transport set a new read deadline with each reading, or the library has a read timeout that is set",
			"the request has a total timeout: streamtotal speaks about it, or it is a bounded download",
			"its URL or the function names a watch (monitor, follow, logs), which may be silent for as long as nothing happens, and nothing else shows an event stream", "the body is read in one piece, or its pieces do not leave the function and nothing shows that it is a stream",
			"the cancel function, or what can close the body, goes to code that is not in view",
			"where the body comes from is not known",
		},
		Since:    "v0.3.0",
		Severity: policy.Error,
		Default:  true,
	}
}
