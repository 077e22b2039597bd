package idempotency_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/resiliencevet/resiliencevet/resilience/idempotency"
)

// A request of which only a part arrives must not look like success to a client
// that still listens: an empty handler is a 200.
func TestBrokenRequestIsNoSuccess(t *testing.T) {
	s := &till{}
	server := httptest.NewServer(handler(t, s, options()))
	defer server.Close()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "POST /pay HTTP/1.1\r\nHost: a.test\r\nIdempotency-Key: k\r\nTransfer-Encoding: chunked\r\n\r\nno chunk\r\n")
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != 400 || s.charges != 0 {
		b, _ := io.ReadAll(resp.Body)
		t.Errorf("status %d, %d charges: %s", resp.StatusCode, s.charges, b)
	}
}

// strict is a store that heeds its context, as a database does.
type strict struct{ idempotency.Store }

func (s strict) Settle(ctx context.Context, key, owner string, to idempotency.State, resp *idempotency.Response, expires time.Time) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	return s.Store.Settle(ctx, key, owner, to, resp, expires)
}

// What a handler did is recorded, even when it took longer than its lease.
func TestWorkBeyondItsLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := options()
		o.Store = strict{o.Store}
		s := &till{took: 2*o.Work + time.Second}
		h := handler(t, s, o)
		want(t, pay(h, "k", "1"), 201, false, "charged")
		want(t, pay(h, "k", "1"), 201, true, "charged")
	})
}

// A response that cannot be sent is not taken from anybody, and does not make a replay panic.
func TestResponseThatCannotBeReplayed(t *testing.T) {
	o := options()
	o.OnError = nil
	o.Reconcile = func(context.Context, idempotency.Record) (idempotency.State, *idempotency.Response, error) {
		return idempotency.Charged, &idempotency.Response{}, nil
	}
	s := &till{reply: func(_ int, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }}
	h := handler(t, s, o)
	want(t, pay(h, "k", "1"), 500, false, "")
	want(t, pay(h, "k", "1"), 409, false, "not known")

	// Settled by hand, without a response.
	recs, err := o.Store.Unsettled(t.Context(), time.Now(), 10)
	if err != nil || len(recs) != 1 {
		t.Fatal(recs, err)
	}
	if ok, err := o.Store.Settle(t.Context(), recs[0].Key, recs[0].Owner, idempotency.Charged, nil, time.Now().Add(time.Hour)); !ok || err != nil {
		t.Fatal(ok, err)
	}
	want(t, pay(h, "k", "1"), 409, false, "no response")
	if s.charges != 1 {
		t.Errorf("%d charges", s.charges)
	}
}

// Keys about which nothing can be found out do not keep Recover from the others.
func TestRecoverReachesAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { recoverReachesAll(t, idempotency.NewMemory()) })
	recoverReachesAll(t, idempotency.NewSQL(open(t, t.TempDir()+"/keys.db"), false))
}

func recoverReachesAll(t *testing.T, store idempotency.Store) {
	t.Helper()
	asked := make(map[string]bool)
	o := options()
	o.Store = store
	o.Reconcile = func(_ context.Context, rec idempotency.Record) (idempotency.State, *idempotency.Response, error) {
		asked[rec.Key] = true
		return idempotency.Unknown, nil, nil
	}
	h := handler(t, &till{reply: func(_ int, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }}, o)
	for _, key := range []string{"a", "b", "c", "d"} {
		pay(h, key, "1")
	}
	for range 2 {
		time.Sleep(time.Millisecond)
		if _, err := h.Recover(t.Context(), 2); err != nil {
			t.Fatal(err)
		}
	}
	if len(asked) != 4 {
		t.Errorf("asked about %v only", asked)
	}
}
