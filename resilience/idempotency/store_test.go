package idempotency_test

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"go.uber.org/goleak"
	_ "modernc.org/sqlite"

	"github.com/resiliencevet/resiliencevet/resilience/idempotency"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open opens a database file as a service with several instances would.
func open(tb testing.TB, name string) *sql.DB {
	tb.Helper()
	db, err := sql.Open("sqlite", "file:"+name+"?_pragma=busy_timeout(20000)&_pragma=journal_mode(WAL)")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = db.Close() })
	if _, err := db.Exec(idempotency.Schema); err != nil {
		tb.Fatal(err)
	}
	return db
}

// Both stores do what the interface says, step by step.
func TestStores(t *testing.T) {
	for name, store := range map[string]idempotency.Store{
		"memory":        idempotency.NewMemory(),
		"sql":           idempotency.NewSQL(open(t, filepath.Join(t.TempDir(), "keys.db")), false),
		"sql, numbered": idempotency.NewSQL(open(t, filepath.Join(t.TempDir(), "keys.db")), true),
	} {
		t.Run(name, func(t *testing.T) { testStore(t, store) })
	}
}

func testStore(t *testing.T, store idempotency.Store) {
	ctx, t0 := t.Context(), time.Unix(1_000_000, 0)
	rec := func(key, print, owner string) idempotency.Record {
		return idempotency.Record{Key: key, Fingerprint: print, State: idempotency.Started, Owner: owner, Lease: t0.Add(time.Minute), Expires: t0.Add(time.Hour)}
	}
	claim := func(r idempotency.Record, now time.Time, wantMine bool, wantOwner string, wantState idempotency.State) idempotency.Record {
		t.Helper()
		got, mine, err := store.Claim(ctx, r, now)
		if err != nil || mine != wantMine || got.Owner != wantOwner || got.State != wantState {
			t.Errorf("claim of %s by %s: %+v, %v, %v; want mine %v, owner %s, %s", r.Key, r.Owner, got, mine, err, wantMine, wantOwner, wantState)
		}
		return got
	}
	settle := func(key, owner string, to idempotency.State, resp *idempotency.Response, want bool) {
		t.Helper()
		if ok, err := store.Settle(ctx, key, owner, to, resp, t0.Add(2*time.Hour)); ok != want || err != nil {
			t.Errorf("settling %s of %s as %s: %v, %v; want %v", key, owner, to, ok, err, want)
		}
	}
	unsettled := func(now time.Time, limit int, want ...string) {
		t.Helper()
		recs, err := store.Unsettled(ctx, now, limit)
		var got []string
		for _, r := range recs {
			got = append(got, r.Key)
		}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("unsettled: %v, %v; want %v", got, err, want)
		}
	}
	resp := &idempotency.Response{Status: 201, Header: http.Header{"X-Charge": {"ch_1", "ch_2"}}, Body: []byte{0, 255, 'x'}}

	first := claim(rec("a", "p", "one"), t0, true, "one", idempotency.Started)
	again := claim(rec("a", "p", "two"), t0, false, "one", idempotency.Started)
	if !again.Lease.Equal(first.Lease) || !again.Expires.Equal(first.Expires) || again.Fingerprint != "p" || again.Response != nil {
		t.Errorf("kept %+v, want %+v", again, first)
	}
	settle("a", "two", idempotency.Charged, resp, false)
	settle("none", "one", idempotency.Charged, resp, false)
	settle("a", "one", idempotency.Charged, resp, true)
	settle("a", "one", idempotency.Unknown, nil, false)
	if got := claim(rec("a", "p", "two"), t0, false, "one", idempotency.Charged); !reflect.DeepEqual(got.Response, resp) {
		t.Errorf("response %+v, want %+v", got.Response, resp)
	}

	claim(rec("b", "p", "one"), t0, true, "one", idempotency.Started)
	settle("b", "one", idempotency.Failed, resp, true)
	claim(rec("b", "other", "two"), t0, false, "one", idempotency.Failed)
	claim(rec("b", "p", "two"), t0, true, "two", idempotency.Started)
	settle("b", "one", idempotency.Charged, resp, false) // the late word of the first claim
	if got := claim(rec("b", "p", "three"), t0, false, "two", idempotency.Started); got.Response != nil {
		t.Errorf("the response of the failure is still there: %+v", got)
	}

	claim(rec("c", "p", "one"), t0, true, "one", idempotency.Started)
	settle("c", "one", idempotency.Unknown, nil, true)
	claim(rec("c", "p", "two"), t0.Add(1000*time.Hour), false, "one", idempotency.Unknown)

	unsettled(t0, 9, "c")
	unsettled(t0.Add(time.Minute), 9, "b", "c") // the lease of b is over
	unsettled(t0.Add(time.Minute), 1, "b")
	settle("c", "one", idempotency.Charged, resp, true)

	if n, err := store.Purge(ctx, t0.Add(2*time.Hour-1)); n != 0 || err != nil {
		t.Errorf("purged %d, %v; want none yet", n, err)
	}
	claim(rec("c", "other", "two"), t0.Add(2*time.Hour), true, "two", idempotency.Started) // expired: a new operation
	if n, err := store.Purge(ctx, t0.Add(2*time.Hour)); n != 1 || err != nil {
		t.Errorf("purged %d, %v; want only a", n, err)
	}
	claim(rec("a", "p", "two"), t0, true, "two", idempotency.Started)
	claim(rec("b", "p", "four"), t0.Add(1000*time.Hour), false, "two", idempotency.Started)

	if _, err := store.Unsettled(canceled(ctx), t0, 1); name(store) == "sql" && err == nil {
		t.Error("a context that has ended is not noticed")
	}
}

func canceled(ctx context.Context) context.Context {
	ctx, cancel := context.WithCancel(ctx)
	cancel()
	return ctx
}

func name(s idempotency.Store) string {
	if _, ok := s.(*idempotency.SQL); ok {
		return "sql"
	}
	return fmt.Sprintf("%T", s)
}
