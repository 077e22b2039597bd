package libraries

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/resiliencevet/resiliencevet/internal/apis"
)

// A specimen sends requests by way of a library, as its policy does by default.
type specimen struct {
	module, policy string
	// send makes one call that reaches the server through c, with the method if the
	// library lets the caller say it; body is what it sends, unless that is "".
	send func(ctx context.Context, c *http.Client, method, body string) error
	// attempts is the number that send asks for, 0 if it leaves the default.
	attempts int
	// fixed is the method, where the library alone decides.
	fixed string
	// garbled is an answer that is not what the API sends.
	garbled http.HandlerFunc
	// deaf: its call has no context of its own to be cancelled by.
	deaf bool
	// bare: what it sends again arrives only over a connection that was used before,
	// which takes an answer without a body, and then net/http has made the request's
	// body anew. Elsewhere the attempt fails before it is sent.
	bare bool
	// also are failures after which the library sends again, though the table, which
	// has one set of them for all methods, does not say so.
	also []string
	// given: the caller says how long the pauses are.
	given bool
	// outside runs once, before any bubble: what the library keeps for good must
	// not belong to one.
	outside func()
}

// url is where all of them send to. The name leads nowhere but into the pipe.
const url = "http://harbour.invalid/berth"

// classes are the failures, and how the server makes them.
var classes = []struct {
	name   string
	class  apis.Failure
	answer http.HandlerFunc
}{
	{"no answer", apis.NoAnswer, hangingUp},
	{"silence", apis.NoAnswer | apis.TimedOut, silent},
	{"408", apis.RequestTimeout, refusing(408)},
	{"409", apis.Conflict, refusing(409)},
	{"429", apis.TooManyRequests, refusing(429)},
	{"500", apis.ServerError, refusing(500)},
	{"502", apis.Unavailable, refusing(502)},
	{"503", apis.Unavailable, refusing(503)},
	{"504", apis.Unavailable, refusing(504)},
	{"505", apis.OtherServerErrors, refusing(505)},
	{"400", 0, refusing(400)},
	{"503 with Retry-After", apis.Unavailable | apis.Asked, refusing(503, "Retry-After", "1")},
}

// row is the library that the tests run with.
func row(t *testing.T, module string) apis.Library {
	t.Helper()
	for _, l := range apis.Libraries() {
		if l.Module == module && l.Before == "" {
			return l
		}
	}
	t.Fatalf("no library has the module %s", module)
	return apis.Library{}
}

// policyOf is what the table says of a specimen.
func policyOf(t *testing.T, module, name string) apis.Policy {
	t.Helper()
	l := row(t, module)
	i := slices.IndexFunc(l.Policies, func(p apis.Policy) bool { return p.Name == name })
	if i < 0 {
		t.Fatalf("%s has no policy %s", module, name)
	}
	return l.Policies[i]
}

// TestPolicies counts what a server receives after each kind of failure, and how
// long the library waits, and holds it against the table.
func TestPolicies(t *testing.T) {
	for _, s := range slices.Concat(transports(), sdks()) {
		name := s.module + " " + s.policy
		if s.attempts != 0 {
			name += " asked for more"
		}
		t.Run(name, func(t *testing.T) {
			if s.outside != nil {
				s.outside()
			}
			p := policyOf(t, s.module, s.policy)
			if s.attempts != 0 {
				p.Attempts = s.attempts
			}
			method := s.fixed
			if method == "" {
				method = "POST"
				if p.Methods != nil && !slices.Contains(p.Methods, method) {
					method = p.Methods[0]
				}
			}
			for _, c := range classes {
				class := c.class
				if slices.Contains(s.also, c.name) {
					class |= p.After
				}
				t.Run(c.name, func(t *testing.T) { s.count(t, p, method, class, c.answer) })
			}
			if s.garbled != nil {
				t.Run("garbled", func(t *testing.T) { s.count(t, p, method, apis.Garbled, s.garbled) })
			}
			if s.fixed == "" {
				t.Run("methods", func(t *testing.T) { s.methods(t, p) })
			}
			if p.Attempts > 1 || p.Attempts == apis.Unlimited {
				t.Run("waits", func(t *testing.T) { s.waits(t, p, method) })
				t.Run("Retry-After", func(t *testing.T) { s.retryAfter(t, p, method) })
				t.Run("context", func(t *testing.T) { s.context(t, p, method) })
				t.Run("body", func(t *testing.T) { s.body(t, p, method) })
			}
		})
	}
}

// enough is where a policy without a limit has shown that it has none.
const enough = 14

// limited answers by first until enough requests have come, and well after that.
func limited(first http.HandlerFunc) http.HandlerFunc {
	var n atomic.Int32
	return func(w http.ResponseWriter, r *http.Request) {
		if n.Add(1) > enough {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		first(w, r)
	}
}

// wanted is how many requests come if attempts is what the table says.
func wanted(attempts int) int {
	if attempts == apis.Unlimited {
		return enough + 1
	}
	return attempts
}

// call sends one request in a harbour and returns what has arrived.
func (s specimen) call(t *testing.T, answer http.HandlerFunc, method, body string) (got []arrival, took time.Duration) {
	t.Helper()
	if s.bare {
		answer = withoutBody(answer)
	}
	inHarbour(t, limited(answer), func(t *testing.T, h *harbour) {
		h.client.Transport.(*http.Transport).DisableKeepAlives = !s.bare
		h.client.Timeout = 20 * time.Second // an attempt's, for servers that are silent
		start := time.Now()
		_ = s.send(t.Context(), h.client, method, body) // its error says less than the server
		took = time.Since(start)
		got = h.arrivals()
	})
	return got, took
}

func (s specimen) count(t *testing.T, p apis.Policy, method string, class apis.Failure, answer http.HandlerFunc) {
	want := 1
	if p.After&(class|apis.Every|apis.Marked) != 0 {
		want = wanted(p.Attempts)
	}
	got, _ := s.call(t, answer, method, "")
	if len(got) != want {
		t.Errorf("the server received %d requests, want %d", len(got), want)
	}
}

// failing is an answer that the policy tries again after.
func (s specimen) failing(t *testing.T, p apis.Policy) http.HandlerFunc {
	t.Helper()
	if p.After&(apis.Every|apis.Marked) != 0 {
		return refusing(500)
	}
	for _, c := range classes {
		if c.class != 0 && p.After&c.class != 0 && c.name != "silence" {
			return c.answer
		}
	}
	if p.After&apis.TimedOut != 0 {
		return silent
	}
	t.Skip("nothing is tried again")
	return nil
}

func (s specimen) methods(t *testing.T, p apis.Policy) {
	for _, method := range []string{"GET", "HEAD", "PUT", "DELETE", "POST", "PATCH"} {
		want := wanted(p.Attempts)
		if p.Methods != nil && !slices.Contains(p.Methods, method) {
			want = 1
		}
		if got, _ := s.call(t, s.failing(t, p), method, ""); len(got) != want {
			t.Errorf("%s: the server received %d requests, want %d", method, len(got), want)
		}
	}
}

// waits holds the first pause against Wait, and the later ones against Factor and
// Longest, as far as jitter lets it.
func (s specimen) waits(t *testing.T, p apis.Policy, method string) {
	if s.given {
		t.Skip("the caller says how long they are")
	}
	if p.After&^apis.TimedOut == 0 {
		t.Skip("its attempts last as long as their timeout")
	}
	got, _ := s.call(t, s.failing(t, p), method, "")
	want := p.Wait
	for i := 1; i < len(got); i++ {
		gap := got[i].at.Sub(got[i-1].at)
		low, high := want, want
		if p.Jitter {
			low, high = 0, 2*want
		}
		if p.Longest != 0 {
			high = min(high, p.Longest*3/2)
		}
		if p.Factor != 0 || i == 1 {
			if gap < low || gap > high+time.Millisecond {
				t.Errorf("pause %d was %s, want %s to %s", i, gap, low, high)
			}
		} else if p.Longest != 0 && gap > p.Longest*3/2 {
			t.Errorf("pause %d was %s, want %s at most", i, gap, p.Longest)
		}
		want = time.Duration(float64(want) * p.Factor)
		if p.Longest != 0 {
			want = min(want, p.Longest)
		}
	}
}

// retryAfter asks for a pause of seven seconds in each of the forms.
func (s specimen) retryAfter(t *testing.T, p apis.Policy, method string) {
	status := 503
	switch {
	case p.After&(apis.Unavailable|apis.Asked) != 0:
	case p.After&apis.TooManyRequests != 0:
		status = 429
	default:
		if p.RetryAfter != 0 {
			t.Skip("it obeys the header of answers that it does not try again after by default")
		}
		return
	}
	for name, form := range map[string]struct {
		form   apis.RetryAfter
		header func() []string
	}{
		"seconds": {apis.Seconds, func() []string { return []string{"Retry-After", "7"} }},
		"date": {apis.Date, func() []string {
			return []string{"Retry-After", time.Now().Add(7 * time.Second).UTC().Format(http.TimeFormat)}
		}},
		"milliseconds": {apis.Milliseconds, func() []string {
			return []string{"Retry-After-Ms", "7000", "X-Amz-Retry-After", "7000"}
		}},
	} {
		answer := func(w http.ResponseWriter, r *http.Request) { refusing(status, form.header()...)(w, r) }
		got, _ := s.call(t, answer, method, "")
		if len(got) < 2 {
			if p.After&apis.Asked == 0 || form.form == apis.Seconds {
				t.Errorf("%s: the server received %d requests", name, len(got))
			}
			continue
		}
		gap := got[1].at.Sub(got[0].at)
		obeyed := gap > 4*time.Second && gap < 8*time.Second
		if want := p.RetryAfter&form.form != 0; obeyed != want {
			t.Errorf("%s: asked for 7s it waited for %s: obeyed %t, want %t", name, gap, obeyed, want)
		}
	}
}

// context cancels in the middle of the first pause. What hears it ends at once;
// what does not sleeps on.
func (s specimen) context(t *testing.T, p apis.Policy, method string) {
	if p.Wait == 0 || s.deaf || p.After&^apis.TimedOut == 0 {
		t.Skip("there is no pause, or no context")
	}
	inHarbour(t, limited(s.failing(t, p)), func(t *testing.T, h *harbour) {
		// Whatever the jitter makes of it: a thousandth of the pause is inside it.
		in := p.Wait / 1000
		ctx, cancel := context.WithTimeout(t.Context(), in)
		defer cancel()
		start := time.Now()
		err := s.send(ctx, h.client, method, "")
		took := time.Since(start)
		if err == nil {
			t.Error("a call whose context has ended succeeds")
		}
		heard := took <= in
		if want := p.Context == apis.Hears; heard != want {
			t.Errorf("cancelled after %s it took %s: heard %t, want %t", in, took, heard, want)
		}
	})
}

// body compares what came of the body in the first attempt and in the second.
func (s specimen) body(t *testing.T, p apis.Policy, method string) {
	if p.Body == apis.NoBody {
		t.Skip("it knows nothing of bodies")
	}
	if s.fixed == "GET" || s.fixed == "" && (method == "GET" || method == "DELETE") {
		method = "PUT"
		if s.fixed != "" || p.Methods != nil && !slices.Contains(p.Methods, method) {
			t.Skip("its requests have no body")
		}
	}
	s.bare = false
	got, _ := s.call(t, s.failing(t, p), method, "one ticket")
	if len(got) == 0 || got[0].body == "" {
		t.Fatal("the server received no body at all")
	}
	switch second := p.Body; {
	case second == apis.Rewound || second == apis.ReadersConsumed:
		if len(got) < 2 || got[1].body != got[0].body {
			t.Errorf("the attempts brought %q, want the same body again", bodies(got))
		}
	case second == apis.Refused:
		if len(got) != 1 {
			t.Errorf("the attempts brought %q, want one", bodies(got))
		}
	case second == apis.Consumed:
		if len(got) > 1 && got[1].body == got[0].body {
			t.Errorf("the attempts brought %q, want nothing of the body in the second", bodies(got))
		}
	}
}

func bodies(got []arrival) string {
	var all []string
	for _, a := range got {
		all = append(all, a.body)
	}
	return fmt.Sprint(all)
}
