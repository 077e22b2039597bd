// Package retrybody reports request bodies that one attempt has read and the
// next one sends again.
package retrybody

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
		Name:  "retrybody",
		Title: "a consumed body is sent again",
		What: "The first attempt reads the body of its request to the end. The next attempt sends what is left of it: the same `*http.Request` goes out again, or a copy of it (`Clone` and `WithContext` " +
			"share the body), or a new request is made over the same reader: a `*bytes.Buffer`, a `*bytes.Reader`, a `*strings.Reader`, an `*os.File`, a pipe, a reader of the caller's. Found are loops, " +
			"recursion, functions that a retry helper calls again and transports that repeat, in whatever package the parts are. Every method with a body counts, and an idempotency key does not help.\n\n" +
			"The finding stands in what is repeated: at the call that builds the request from the used reader, or, when the request itself is shared, at the call that sends it. " +
			"retrynokey may report the same loop for its missing key: that is another mistake, at a place of its own.",
		Why: "The second attempt is not the first one again, and what becomes of it depends on the reader. Of most readers net/http does not know the length: the second request arrives with an empty body, the server does its work " +
			"on nothing, and the client is told of success. Of bytes and strings it knows the length, and the second attempt fails because it has less to send than it promised; an `*os.File` has been closed by net/http after the first. " +
			"Then the retry fails for a reason of its own, and hides the one that came first.\n\n" +
			"`http.NewRequest` sets `GetBody` for `*bytes.Buffer`, `*bytes.Reader` and `*strings.Reader` only, and `Client.Do` does not call it when it is given a request for the second time: it serves redirects and " +
			"the replays of `http.Transport` itself, over a kept-alive connection that died. (This is why the mistake stays hidden when the second attempt happens to use a kept-alive connection; net/http, transport.go, rewindBody, go1.26.)",
		Risky: `req, _ := http.NewRequestWithContext(ctx, http.MethodPost, url, body)
for range 3 {
	resp, err = client.Do(req)
	if err == nil && resp.StatusCode < 500 {
		break
	}
}`,
		Safe: `data, err := io.ReadAll(body)
// ...
for range 3 {
	req, _ := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(data))
	resp, err = client.Do(req)
	if err == nil && resp.StatusCode < 500 {
		break
	}
}`,
		Runtime: "`resilience.Transport` asks `Request.GetBody` for a new body for each attempt. Where there is none, it sends once.",
		SilentWhen: []string{
			"each attempt has a body of its own: a new reader over bytes or text, a file that is opened again, an `io.SectionReader`, a function that opens one",
			"the body is opened again for each attempt: `req.Body, err = req.GetBody()`, also in a helper or a transport, where `GetBody` is there",
			"the reader is taken back to its beginning in each round: `Seek(0, io.SeekStart)`, `Reset`, a buffer that is filled again; also below an `io.NopCloser` or an `io.TeeReader`",
			"the body is read into memory before the first attempt",
			"there is no body: nil, `http.NoBody`, a GET",
			"what has a body is not repeated: the method, `req.Body` or `GetBody` is checked on the way to the second attempt",
			"each round sends another body: items, messages, the parts of a long upload",
			"it is not known what the reader or the function that gives it does; or what repeats is not known to repeat",
		},
		Since:    "v0.2.0",
		Severity: policy.Error,
		Default:  true,
	}
}
