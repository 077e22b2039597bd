// Package idempotency is the server's half of idempotency keys: a handler that
// lets the work of a key happen once, however often its request comes, to
// however many instances of a service.
//
// A request claims its key before any work starts. Repeats with the same key
// wait for the work or get 409 while it is under way, and the recorded response afterwards;
// with another body they get 422 (draft-ietf-httpapi-idempotency-key-header
// section 2.7). What the work came to is one of four things, since "it failed" is not enough to
// know: see [State].
package idempotency

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"time"

	"github.com/resiliencevet/resiliencevet/resilience"
)

// ReplayedHeader marks a response that was recorded earlier.
const ReplayedHeader = "Idempotency-Replayed"

// Handler is the middleware. It is safe for concurrent use.
type Handler struct {
	next http.Handler
	opts Options
}

// New puts a Handler around next. Requests with safe methods (RFC 9110 section
// 9.2.1) go to next as they are; all others need an Idempotency-Key. Those that
// may work reach next with their body in memory, a context that ends after Options.Work and not when the
// client leaves, and a ResponseWriter that holds the response back until it is recorded.
func New(next http.Handler, opts Options) (*Handler, error) {
	if err := opts.Validate(); err != nil {
		return nil, fmt.Errorf("idempotency: %w", err)
	}
	if opts.Scope == nil {
		opts.Scope = func(*http.Request) string { return "" }
	}
	if opts.Outcome == nil {
		opts.Outcome = ByStatus
	}
	if opts.OnError == nil {
		opts.OnError = func(context.Context, string, error) {}
	}
	return &Handler{next: next, opts: opts}, nil
}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace:
		h.next.ServeHTTP(w, r)
		return
	}
	keys := r.Header.Values(resilience.KeyHeader)
	if len(keys) != 1 || resilience.CheckKey(keys[0]) != nil {
		problem(w, http.StatusBadRequest, "one valid Idempotency-Key header is required")
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, h.opts.MaxBody))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		problem(w, http.StatusRequestEntityTooLarge, "the request is too large")
		return
	}
	if err != nil { // a client that has not broken off must not take silence, which is a 200, for success
		problem(w, http.StatusBadRequest, "the request could not be read; nothing was done")
		return
	}
	h.serve(w, r, keys[0], body)
}

// serve does the work of the request, or answers for it.
func (h *Handler) serve(w http.ResponseWriter, r *http.Request, key string, body []byte) {
	claim := Record{
		Key:         h.opts.Scope(r) + " " + key, // a key has no spaces
		Fingerprint: fingerprint(r, body),
		State:       Started,
		Owner:       rand.Text(),
	}
	until := time.Now().Add(h.opts.Wait)
	for {
		now := time.Now()
		claim.Lease, claim.Expires = now.Add(2*h.opts.Work), now.Add(h.opts.Keep)
		rec, mine, err := h.claim(r.Context(), claim, now)
		switch {
		case err != nil:
			h.opts.OnError(r.Context(), claim.Key, err)
			problem(w, http.StatusServiceUnavailable, "keys cannot be looked up; nothing was done")
			return
		case mine:
			h.work(w, r, rec, key, body)
			return
		case rec.Fingerprint != claim.Fingerprint:
			problem(w, http.StatusUnprocessableEntity, "the key was used for another request")
			return
		case rec.State == Charged && !rec.Response.valid(): // somebody settled it without
			problem(w, http.StatusConflict, "the work of this key is done, and no response to it is recorded")
			return
		case rec.State == Charged:
			replay(w, rec.Response)
			return
		case rec.State == Unknown || rec.dead(now):
			if state := h.reconcile(r.Context(), rec); state == Unknown {
				problem(w, http.StatusConflict, "the outcome of an earlier request with this key is not known yet; nothing more was done")
				return
			}
		case rec.State == Started:
			if !sleep(r.Context(), min(h.opts.Poll, time.Until(until))) {
				problem(w, http.StatusConflict, "a request with this key is under way")
				return
			}
		}
	}
}

// claim does not end when the client leaves: a claim that was made and not
// noticed would leave an unknown outcome behind where nothing was done.
func (h *Handler) claim(ctx context.Context, rec Record, now time.Time) (Record, bool, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), h.opts.Work)
	defer cancel()
	return h.opts.Store.Claim(ctx, rec, now)
}

// work runs the handler, records what came of it, and answers; in this order,
// so that no client hears of an effect that a repeat would not find.
func (h *Handler) work(w http.ResponseWriter, r *http.Request, rec Record, key string, body []byte) {
	detached := context.WithoutCancel(r.Context())
	ctx, cancel := context.WithTimeout(detached, h.opts.Work)
	defer cancel()
	op := &operation{key: key}
	req := r.WithContext(context.WithValue(ctx, operationContext{}, op))
	req.Body = io.NopCloser(bytes.NewReader(body))
	out := &recorder{header: make(http.Header)}

	finished := false
	defer func() {
		if !finished { // a panic goes on its way; what it left undone, nobody knows
			h.record(detached, rec, Unknown, nil)
		}
	}()
	h.next.ServeHTTP(out, req)
	finished = true

	resp := out.response()
	state := op.state
	if state == "" {
		state = h.opts.Outcome(resp.Status)
	}
	h.record(detached, rec, state, resp)
	write(w, resp)
}

// record settles a claim. It has as long for that as the work had, so that both
// fit into the lease; after work that took longer it is still worth a try.
func (h *Handler) record(ctx context.Context, rec Record, state State, resp *Response) {
	ctx, cancel := context.WithTimeout(ctx, h.opts.Work)
	defer cancel()
	ok, err := h.opts.Store.Settle(ctx, rec.Key, rec.Owner, state, resp, time.Now().Add(h.opts.Keep))
	if err == nil && !ok {
		err = fmt.Errorf("the work came to %q, after its claim was settled otherwise", state)
	}
	if err != nil {
		h.opts.OnError(ctx, rec.Key, err)
	}
}

// reconcile finds out about a claim that nobody works on any more, records what
// it can, and returns the state.
func (h *Handler) reconcile(ctx context.Context, rec Record) State {
	state, resp := Unknown, (*Response)(nil)
	if h.opts.Reconcile != nil {
		s, r, err := h.opts.Reconcile(ctx, rec)
		switch {
		case err != nil:
			h.opts.OnError(ctx, rec.Key, err)
		case s == Charged && !r.valid() || s != Charged && s != Failed && s != Unknown:
			h.opts.OnError(ctx, rec.Key, fmt.Errorf("reconciled as %q with response %v", s, r))
		default:
			state, resp = s, r
		}
	}
	if _, err := h.opts.Store.Settle(ctx, rec.Key, rec.Owner, state, resp, time.Now().Add(h.opts.Keep)); err != nil {
		h.opts.OnError(ctx, rec.Key, err)
		return Unknown
	}
	return state // if another was quicker, the next look at the store shows
}

// Recovered is what [Handler.Recover] did.
type Recovered struct{ Settled, Unknown, Purged int }

// Recover looks after up to limit keys whose process has died or whose outcome
// is unknown, and forgets what has expired. Call it when the service starts, and now and then.
func (h *Handler) Recover(ctx context.Context, limit int) (Recovered, error) {
	var done Recovered
	recs, err := h.opts.Store.Unsettled(ctx, time.Now(), limit)
	if err != nil {
		return done, err
	}
	for _, rec := range recs {
		if err := ctx.Err(); err != nil {
			return done, err
		}
		if h.reconcile(ctx, rec) == Unknown {
			done.Unknown++
		} else {
			done.Settled++
		}
	}
	done.Purged, err = h.opts.Store.Purge(ctx, time.Now())
	return done, err
}

// operation is what a handler can learn and say of its key.
type operation struct {
	key   string
	state State
}

type operationContext struct{}

// Key returns the idempotency key of the request whose work ctx is for, and
// whether there is one. Hand it on to who charges: with
// [resilience.WithIdempotencyKey] the client's key is the provider's, too.
func Key(ctx context.Context) (string, bool) {
	op, ok := ctx.Value(operationContext{}).(*operation)
	if !ok {
		return "", false
	}
	return op.key, true
}

// SetOutcome says what the work of ctx came to, in place of its status: Failed
// for a 503 that a repeat may try again, Unknown for a 200 that only promises.
// Only the goroutine of the handler may call it, before the handler returns; the last call counts.
func SetOutcome(ctx context.Context, s State) {
	if op, ok := ctx.Value(operationContext{}).(*operation); ok && (s == Charged || s == Failed || s == Unknown) {
		op.state = s
	}
}

// recorder is a ResponseWriter that keeps the response.
type recorder struct {
	header http.Header
	sent   http.Header // as it was when the status was written
	status int
	body   bytes.Buffer
}

func (rec *recorder) Header() http.Header { return rec.header }

func (rec *recorder) WriteHeader(status int) {
	if rec.status == 0 && status >= 200 { // 1xx announce, and are dropped
		rec.status, rec.sent = status, rec.header.Clone()
	}
}

func (rec *recorder) Write(p []byte) (int, error) {
	rec.WriteHeader(http.StatusOK)
	return rec.body.Write(p)
}

func (rec *recorder) response() *Response {
	rec.WriteHeader(http.StatusOK)
	return &Response{Status: rec.status, Header: rec.sent, Body: rec.body.Bytes()}
}

func write(w http.ResponseWriter, resp *Response) {
	maps.Copy(w.Header(), resp.Header.Clone()) // a record is shared by its replays
	w.WriteHeader(resp.Status)
	_, _ = w.Write(resp.Body) // a client that has left asks again
}

func replay(w http.ResponseWriter, resp *Response) {
	w.Header().Set(ReplayedHeader, "true")
	write(w, resp)
}

// problem answers as RFC 9457 has it.
func problem(w http.ResponseWriter, status int, detail string) {
	text, err := json.Marshal(struct {
		Title  string `json:"title"`
		Status int    `json:"status"`
		Detail string `json:"detail"`
	}{http.StatusText(status), status, strings.ToUpper(detail[:1]) + detail[1:] + "."})
	if err != nil {
		panic(err) // strings and a number can be written
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_, _ = w.Write(text)
}

// sleep waits for d, and returns false at once when there is nothing to wait
// for, or when ctx ends.
func sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return false
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
