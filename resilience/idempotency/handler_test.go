package idempotency_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/resiliencevet/resiliencevet/resilience"
	"github.com/resiliencevet/resiliencevet/resilience/idempotency"
)

// till is a handler that charges, and takes its time.
type till struct {
	took  time.Duration
	reply func(n int, w http.ResponseWriter, r *http.Request) // n counts from 1; nil: 201

	mu      sync.Mutex
	charges int
}

func (s *till) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.charges++
	n := s.charges
	s.mu.Unlock()
	time.Sleep(s.took)
	if s.reply != nil {
		s.reply(n, w, r)
		return
	}
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("X-Charge", fmt.Sprint("ch_", n))
	w.WriteHeader(http.StatusCreated)
	fmt.Fprintf(w, "charged %s", body)
}

func options() idempotency.Options {
	return idempotency.Options{
		Store: idempotency.NewMemory(), Work: 30 * time.Second, Keep: 24 * time.Hour, RetryWindow: time.Hour, MaxBody: 1000,
		OnError: func(_ context.Context, key string, err error) { panic(key + ": " + err.Error()) },
	}
}

func handler(t *testing.T, next http.Handler, o idempotency.Options) *idempotency.Handler {
	t.Helper()
	h, err := idempotency.New(next, o)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// pay sends a request to h and returns what it answered.
func pay(h http.Handler, key, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("POST", "/pay", strings.NewReader(body))
	if key != "" {
		r.Header.Set(resilience.KeyHeader, key)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func want(t *testing.T, w *httptest.ResponseRecorder, status int, replayed bool, contains string) {
	t.Helper()
	if got := w.Header().Get(idempotency.ReplayedHeader) == "true"; w.Code != status || got != replayed || !strings.Contains(w.Body.String(), contains) {
		t.Errorf("%d, replayed %v, %q; want %d, %v, %q", w.Code, got, w.Body, status, replayed, contains)
	}
}

func TestReplay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &till{}
		h := handler(t, s, options())
		want(t, pay(h, "k", "12"), 201, false, "charged 12")
		again := pay(h, "k", "12")
		want(t, again, 201, true, "charged 12")
		if again.Header().Get("X-Charge") != "ch_1" {
			t.Errorf("headers %v", again.Header())
		}
		want(t, pay(h, "k", "13"), 422, false, "another request")
		want(t, pay(h, "k-2", "12"), 201, false, "charged 12")
		if s.charges != 2 {
			t.Errorf("%d charges, want 2", s.charges)
		}
		time.Sleep(24 * time.Hour) // a key that has expired is a new operation
		want(t, pay(h, "k", "13"), 201, false, "charged 13")
	})
}

// What is recorded is what was sent: headers that are set too late are not.
func TestRecordedHeaders(t *testing.T) {
	h := handler(t, &till{reply: func(_ int, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Early", "yes")
		w.WriteHeader(http.StatusEarlyHints)
		w.WriteHeader(202)
		w.Header().Set("Late", "yes")
		w.WriteHeader(500)
	}}, options())
	for _, again := range []bool{false, true} {
		w := pay(h, "k", "12")
		want(t, w, 202, again, "")
		if w.Header().Get("Early") != "yes" || w.Header().Get("Late") != "" {
			t.Errorf("headers %v", w.Header())
		}
	}
}

func TestWhatNeedsAKey(t *testing.T) {
	s := &till{}
	h := handler(t, s, options())
	for _, key := range []string{"", "two words", strings.Repeat("k", 256)} {
		want(t, pay(h, key, "12"), 400, false, "Idempotency-Key")
	}
	r := httptest.NewRequest("POST", "/pay", nil)
	r.Header[resilience.KeyHeader] = []string{"a", "b"}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	want(t, w, 400, false, "One valid")
	want(t, pay(h, "k", strings.Repeat("x", 1001)), 413, false, "too large")
	if s.charges != 0 {
		t.Errorf("%d charges", s.charges)
	}
	w = httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/pay", nil))
	want(t, w, 201, false, "charged")
}

func TestScopes(t *testing.T) {
	o := options()
	o.Scope = func(r *http.Request) string { return r.Header.Get("Account") }
	s := &till{}
	h := handler(t, s, o)
	for _, account := range []string{"a", "b", "a k"} { // "a k" with key "k" is not "a" with "k k"
		r := httptest.NewRequest("POST", "/pay", strings.NewReader(account))
		r.Header.Set("Account", account)
		r.Header.Set(resilience.KeyHeader, "k")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		want(t, w, 201, false, "charged "+account)
	}
}

// A repeat waits for work that is under way, or gets 409, whichever was chosen.
func TestRepeatWhileUnderWay(t *testing.T) {
	for _, c := range []struct {
		wait   time.Duration
		status int
		at     time.Duration
	}{
		{0, 409, 2 * time.Second},
		{5 * time.Second, 409, 7 * time.Second},
		{20 * time.Second, 201, 12800 * time.Millisecond},
	} {
		synctest.Test(t, func(t *testing.T) {
			o := options()
			o.Wait, o.Poll = c.wait, 900*time.Millisecond // not a divisor of what it meets
			s := &till{took: 12 * time.Second}
			h := handler(t, s, o)
			began := time.Now()
			done := make(chan *httptest.ResponseRecorder)
			go func() { done <- pay(h, "k", "12") }()
			time.Sleep(2 * time.Second)
			want(t, pay(h, "k", "12"), c.status, c.status == 201, "")
			if at := time.Since(began); at != c.at {
				t.Errorf("answered at %v, want %v", at, c.at)
			}
			want(t, <-done, 201, false, "charged 12")
			if s.charges != 1 {
				t.Errorf("%d charges, want 1", s.charges)
			}
		})
	}
}

// The work goes on when its client leaves, and a repeat gets what came of it.
func TestClientLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := handler(t, &till{took: 12 * time.Second, reply: func(_ int, w http.ResponseWriter, r *http.Request) {
			if err := r.Context().Err(); err != nil {
				t.Errorf("the work is told to stop: %v", err)
			}
		}}, options())
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		r := httptest.NewRequestWithContext(ctx, "POST", "/pay", nil)
		r.Header.Set(resilience.KeyHeader, "k")
		h.ServeHTTP(httptest.NewRecorder(), r)
		want(t, pay(h, "k", ""), 200, true, "")
	})
}

// A failure that is certain may be repeated. One that is not is not repeated.
func TestFailedAndUnknown(t *testing.T) {
	for _, c := range []struct {
		name   string
		status int
		set    idempotency.State
		again  int // the status of the repeat
		runs   int
	}{
		{"402 is certain", 402, "", 201, 2},
		{"500 is not", 500, "", 409, 1},
		{"503 that had no effect, says the handler", 503, idempotency.Failed, 201, 2},
		{"202 of which nobody knows yet", 202, idempotency.Unknown, 409, 1},
		{"502 after the charge", 502, idempotency.Charged, 502, 1},
		{"a state that does not exist", 200, "gone", 200, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &till{reply: func(n int, w http.ResponseWriter, r *http.Request) {
				if n > 1 {
					w.WriteHeader(201)
					return
				}
				idempotency.SetOutcome(r.Context(), c.set)
				w.WriteHeader(c.status)
			}}
			h := handler(t, s, options())
			want(t, pay(h, "k", "12"), c.status, false, "")
			want(t, pay(h, "k", "12"), c.again, c.again == c.status, "")
			want(t, pay(h, "k", "13"), 422, false, "") // in every state
			if s.charges != c.runs {
				t.Errorf("%d runs, want %d", s.charges, c.runs)
			}
		})
	}
}

// After a panic nobody knows. Who does know settles it.
func TestPanicAndReconciliation(t *testing.T) {
	answers := []idempotency.State{idempotency.Unknown, "broken", idempotency.Charged, idempotency.Failed}
	var failures, asked int
	o := options()
	o.OnError = func(context.Context, string, error) { failures++ }
	o.Reconcile = func(_ context.Context, rec idempotency.Record) (idempotency.State, *idempotency.Response, error) {
		if rec.Key != " k" || rec.Owner == "" {
			t.Errorf("asked about %+v", rec)
		}
		asked++
		if asked == 2 {
			return idempotency.Charged, nil, errors.New("the provider does not answer")
		}
		return answers[asked-1], nil, nil // Charged without a response is not enough
	}
	s := &till{reply: func(n int, w http.ResponseWriter, _ *http.Request) {
		if n == 1 {
			panic("power cut")
		}
		w.WriteHeader(201)
	}}
	h := handler(t, s, o)
	func() {
		defer func() {
			if recover() != "power cut" {
				t.Error("the panic did not come through")
			}
		}()
		pay(h, "k", "12")
	}()
	for range 3 {
		want(t, pay(h, "k", "12"), 409, false, "not known")
	}
	want(t, pay(h, "k", "12"), 201, false, "")
	if asked != 4 || failures != 2 || s.charges != 2 {
		t.Errorf("asked %d times, %d failures, %d runs; want 4, 2, 2", asked, failures, s.charges)
	}
}

// A claim whose process has died is unknown once its lease is over, then what
// the provider says; Recover finds it without a repeat.
func TestRecover(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := options()
		claim := idempotency.Record{Key: " k", Fingerprint: "p", State: idempotency.Started, Owner: "dead", Lease: time.Now().Add(time.Minute)}
		if _, mine, err := o.Store.Claim(t.Context(), claim, time.Now()); !mine || err != nil {
			t.Fatal(mine, err)
		}
		knows := idempotency.Unknown
		o.Reconcile = func(context.Context, idempotency.Record) (idempotency.State, *idempotency.Response, error) {
			return knows, &idempotency.Response{Status: 201}, nil
		}
		h := handler(t, &till{}, o)
		recover := func(want idempotency.Recovered) {
			t.Helper()
			if got, err := h.Recover(t.Context(), 10); got != want || err != nil {
				t.Errorf("%+v, %v; want %+v", got, err, want)
			}
		}
		recover(idempotency.Recovered{})
		time.Sleep(time.Minute)
		recover(idempotency.Recovered{Unknown: 1})
		knows = idempotency.Charged
		recover(idempotency.Recovered{Settled: 1})
		recover(idempotency.Recovered{})
		time.Sleep(24 * time.Hour)
		recover(idempotency.Recovered{Purged: 1})
		if _, err := h.Recover(canceled(t.Context()), 10); err != nil {
			t.Errorf("with nothing to do: %v", err)
		}
	})
}

// A handler whose claim was given up meanwhile has an effect that contradicts
// the record; somebody must be told.
func TestLateOutcome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []error
		o := options()
		o.OnError = func(_ context.Context, _ string, err error) { told = append(told, err) }
		o.Reconcile = func(context.Context, idempotency.Record) (idempotency.State, *idempotency.Response, error) {
			return idempotency.Failed, nil, nil
		}
		s := &till{reply: func(n int, _ http.ResponseWriter, r *http.Request) {
			if n == 1 {
				<-r.Context().Done()
				time.Sleep(31 * time.Second) // it does not listen, and is taken for dead
			}
		}}
		h := handler(t, s, o)
		go pay(h, "k", "12")
		time.Sleep(60 * time.Second)
		want(t, pay(h, "k", "12"), 200, false, "")
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(told) != 1 || s.charges != 2 {
			t.Errorf("told %v after %d runs; want one contradiction and 2", told, s.charges)
		}
	})
}

// broken is a store that fails.
type broken struct{ idempotency.Store }

func (broken) Claim(context.Context, idempotency.Record, time.Time) (idempotency.Record, bool, error) {
	return idempotency.Record{}, false, errors.New("no disk")
}

func TestStoreFails(t *testing.T) {
	told := 0
	o := options()
	o.Store = broken{}
	o.OnError = func(context.Context, string, error) { told++ }
	s := &till{}
	want(t, pay(handler(t, s, o), "k", "12"), 503, false, "nothing was done")
	if s.charges != 0 || told != 1 {
		t.Errorf("%d charges, told %d times; want 0 and 1", s.charges, told)
	}
}

func TestKeyIsHandedOn(t *testing.T) {
	h := handler(t, &till{reply: func(_ int, _ http.ResponseWriter, r *http.Request) {
		if key, ok := idempotency.Key(r.Context()); key != "k" || !ok {
			t.Errorf("key %q, %v", key, ok)
		}
	}}, options())
	want(t, pay(h, "k", ""), 200, false, "")
	if _, ok := idempotency.Key(t.Context()); ok {
		t.Error("a key out of nowhere")
	}
}

func TestValidate(t *testing.T) {
	for _, c := range []struct {
		change func(*idempotency.Options)
		want   string
	}{
		{func(o *idempotency.Options) { o.Store = nil }, "Store is nil"},
		{func(o *idempotency.Options) { o.Work = 5 }, "Work is 5ns"},
		{func(o *idempotency.Options) { o.Keep = time.Hour }, "Keep 1h0m0s is not longer than RetryWindow 1h0m0s"},
		{func(o *idempotency.Options) { o.RetryWindow = 0 }, "RetryWindow is 0s"},
		{func(o *idempotency.Options) { o.Wait = -1 }, "Wait is -1ns"},
		{func(o *idempotency.Options) { o.Wait = time.Second }, "Poll is 0s with Wait 1s"},
		{func(o *idempotency.Options) { o.MaxBody = 0 }, "MaxBody is 0"},
	} {
		o := options()
		c.change(&o)
		if _, err := idempotency.New(&till{}, o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}
