package idempotency

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"
)

// A State is what is known of the work of a key. There are no others than these.
type State string

// States of a key.
const (
	// Started: the work is under way, or the process that did it has died.
	Started State = "started"
	// Charged: the work has taken effect, and its response is recorded. Repeats
	// get that response. It is named after the case that needs it most.
	Charged State = "charged"
	// Failed: the work has had no effect, for certain. A repeat does it anew.
	Failed State = "failed"
	// Unknown: nobody here knows. Repeats are turned away until somebody who does
	// know (the payment provider) has been asked.
	Unknown State = "unknown"
)

// A Response is what a handler answered.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
}

// valid says whether there is a response that can be written.
func (r *Response) valid() bool { return r != nil && r.Status >= 200 && r.Status <= 999 }

// A Record is what a [Store] has under a key.
type Record struct {
	Key         string // with its scope
	Fingerprint string // of the request that claimed it
	State       State
	Owner       string    // of the claim: new for each of them
	Lease       time.Time // when a claim that is still started belongs to a dead process
	Expires     time.Time // when a charged or failed record is forgotten
	Response    *Response // what repeats of a charged key get
}

// A Store keeps records. Its methods are safe for concurrent use, also by
// several processes where the store is shared; each is atomic. Times are those of the
// caller, whose clocks must agree much better than leases are long.
type Store interface {
	// Claim puts rec, which is started, under its key when there is no record, one
	// that has expired at now, or one with the same fingerprint that is failed. It
	// returns the record that is there afterwards, and whether it is rec.
	Claim(ctx context.Context, rec Record, now time.Time) (Record, bool, error)
	// Settle gives the record of a claim a state and a response (nil: none), and
	// an expiry. It reports false, and does nothing, when the record is not that
	// owner's any more, or neither started nor unknown.
	Settle(ctx context.Context, key, owner string, to State, resp *Response, expires time.Time) (bool, error)
	// Unsettled returns what has to be looked after at now: records that are
	// unknown, and started ones whose lease is over; at most limit of them, and
	// those that expire first, which is those that were settled longest ago: what stays
	// unknown must not keep the rest from being looked at.
	Unsettled(ctx context.Context, now time.Time, limit int) ([]Record, error)
	// Purge forgets the charged and failed records that have expired at now, and
	// returns how many. Started and unknown ones are never forgotten.
	Purge(ctx context.Context, now time.Time) (int, error)
}

// expired says whether a record may be forgotten.
func (r Record) expired(now time.Time) bool {
	return (r.State == Charged || r.State == Failed) && !r.Expires.After(now)
}

// settled says whether a record has its last state.
func (r Record) settled() bool { return r.State != Started && r.State != Unknown }

// dead says whether the process of a claim is taken for dead.
func (r Record) dead(now time.Time) bool { return r.State == Started && !r.Lease.After(now) }

// Memory is a [Store] of one process, for tests and for services of which there
// is one instance that forgets when it restarts. Make one with [NewMemory].
type Memory struct {
	mu      sync.Mutex
	records map[string]Record
}

// NewMemory returns an empty store.
func NewMemory() *Memory { return &Memory{records: make(map[string]Record)} }

// Claim implements [Store].
func (m *Memory) Claim(_ context.Context, rec Record, now time.Time) (Record, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	old, ok := m.records[rec.Key]
	if ok && !old.expired(now) && !(old.State == Failed && old.Fingerprint == rec.Fingerprint) {
		return old, false, nil
	}
	m.records[rec.Key] = rec
	return rec, true, nil
}

// Settle implements [Store].
func (m *Memory) Settle(_ context.Context, key, owner string, to State, resp *Response, expires time.Time) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	rec, ok := m.records[key]
	if !ok || rec.Owner != owner || rec.settled() {
		return false, nil
	}
	rec.State, rec.Response, rec.Expires = to, resp, expires
	m.records[key] = rec
	return true, nil
}

// Unsettled implements [Store].
func (m *Memory) Unsettled(_ context.Context, now time.Time, limit int) ([]Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []Record
	for _, rec := range m.records {
		if rec.State == Unknown || rec.dead(now) {
			out = append(out, rec)
		}
	}
	slices.SortFunc(out, func(a, b Record) int { return cmp.Or(a.Expires.Compare(b.Expires), cmp.Compare(a.Key, b.Key)) })
	return out[:max(0, min(limit, len(out)))], nil
}

// Purge implements [Store].
func (m *Memory) Purge(_ context.Context, now time.Time) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	before := len(m.records)
	maps.DeleteFunc(m.records, func(_ string, rec Record) bool { return rec.expired(now) })
	return before - len(m.records), nil
}
