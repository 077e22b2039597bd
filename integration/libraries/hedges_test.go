package libraries

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cristalhq/hedgedhttp"
	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/failsafehttp"
	"github.com/failsafe-go/failsafe-go/hedgepolicy"
	resty3 "resty.dev/v3"

	"github.com/resiliencevet/resiliencevet/internal/apis"
)

// A hedger sends more than one request at a time for one call.
type hedger struct {
	module, policy string
	number         string // the symbol that says how many
	// clock: it keeps goroutines that no bubble gets rid of, and runs in real time.
	clock bool
	// send asks for n, or leaves the default if n is unset.
	send func(ctx context.Context, c *http.Client, method string, n int) error
}

// unset leaves a number out.
const unset = -1 << 31

// hedgers are the libraries that do.
func hedgers() []hedger {
	return []hedger{
		{
			module: "github.com/cristalhq/hedgedhttp", policy: "hedge", number: "NewRoundTripper", clock: true,
			send: func(ctx context.Context, c *http.Client, method string, n int) error {
				rt, err := hedgedhttp.NewRoundTripper(10*time.Millisecond, n, c.Transport)
				if err != nil {
					return err
				}
				return ask(ctx, rt.RoundTrip, method, "")
			},
		},
		{
			module: "github.com/failsafe-go/failsafe-go", policy: "hedge", number: "hedgepolicy.Builder.WithMaxHedges",
			send: func(ctx context.Context, c *http.Client, method string, n int) error {
				b := hedgepolicy.NewBuilderWithDelay[*http.Response](time.Second)
				if n != unset {
					b = b.WithMaxHedges(n)
				}
				rt := failsafehttp.NewRoundTripperWithExecutor(c.Transport, failsafe.With(b.Build()))
				return ask(ctx, rt.RoundTrip, method, "")
			},
		},
		{
			module: "resty.dev/v3", policy: "hedge", number: "Hedging.SetMaxRequest",
			send: func(ctx context.Context, c *http.Client, method string, n int) error {
				h := resty3.NewHedging()
				if n != unset {
					h.SetMaxRequest(n)
				}
				_, err := resty3.NewWithClient(c).SetLogger(quiet{}).SetHedging(h).R().SetContext(ctx).Execute(method, url)
				return err
			},
		},
	}
}

// received counts what comes to a server that answers by answer.
func (h hedger) received(t *testing.T, answer http.HandlerFunc, method string, n int) (got int) {
	t.Helper()
	if !h.clock {
		inHarbour(t, answer, func(t *testing.T, to *harbour) {
			_, _ = protect(func() error { return h.send(t.Context(), to.client, method, n) })
			got = len(to.arrivals())
		})
		return got
	}
	var count atomic.Int32
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		count.Add(1)
		answer(w, r)
	}))
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	srv.Start()
	defer srv.Close()
	tr := &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, srv.Listener.Addr().String())
		},
	}
	_ = h.send(t.Context(), &http.Client{Transport: tr}, method, n)
	return int(count.Load())
}

// slowly answers after so many pauses that every hedge has gone out.
func (h hedger) slowly() http.HandlerFunc {
	after := time.Minute
	if h.clock {
		after = 400 * time.Millisecond
	}
	return func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(after):
		case <-r.Context().Done():
		}
	}
}

// TestHedges counts the requests that come for one call to a slow server.
func TestHedges(t *testing.T) {
	for _, h := range hedgers() {
		t.Run(h.module, func(t *testing.T) {
			s, p := symbolOf(t, h.module, h.number)
			number := 4
			if p.Attempts != 0 {
				number = unset
			}
			for _, method := range []string{"GET", "POST"} {
				want := p.Attempts
				if want == 0 {
					want = number + s.Count.Plus
				}
				if p.Methods != nil && !slices.Contains(p.Methods, method) {
					want = 1
				}
				if got := h.received(t, h.slowly(), method, number); got != want {
					t.Errorf("%s: the server received %d requests, want %d", method, got, want)
				}
			}
			for _, n := range []int{-1, 0, 1, 4} {
				want, meaning := max(0, n+s.Count.Plus), apis.AsCounted
				switch {
				case n == 0:
					meaning = s.Count.Zero
				case n < 0:
					meaning = s.Count.Negative
				}
				switch meaning {
				case apis.Off:
					want = 1
				case apis.Panics:
					want = 0
				}
				if got := h.received(t, h.slowly(), "GET", n); got != want {
					t.Errorf("given %d the server received %d requests, want %d", n, got, want)
				}
			}
		})
	}
}

// TestHedgedFailure asks whether a failed request brings the next one forward.
func TestHedgedFailure(t *testing.T) {
	for _, h := range hedgers() {
		t.Run(h.module, func(t *testing.T) {
			p := policyOf(t, h.module, h.policy)
			const number = 3
			want := 1
			if p.After&apis.NoAnswer != 0 {
				want = number
			}
			if got := h.received(t, hangingUp, "GET", number); got != want {
				t.Errorf("the server hangs up, and received %d requests, want %d", got, want)
			}
		})
	}
}
