package resilience

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
)

// FuzzRetryAfter holds what a caller of retryAfter counts on, for any header: it
// does not panic, is never negative, reads every number of seconds and every
// date that it writes, and takes nothing else for one.
func FuzzRetryAfter(f *testing.F) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, v := range []string{"", "0", "120", " 7 ", "-1", "+1", "1.5", "1e3", "00000000000000000007", "99999999999999999999", "9223372036", "9223372037",
		"Sun, 01 Mar 2026 12:00:30 GMT", "Sunday, 01-Mar-26 12:00:30 GMT", "Sun Mar  1 12:00:30 2026", "Fri, 31 Dec 9999 23:59:59 GMT", "Mon, 01 Jan 0001 00:00:00 GMT", "soon", "7, 8", "\x00"} {
		f.Add(v)
	}
	f.Fuzz(func(t *testing.T, v string) {
		d, ok := retryAfter(http.Header{"Retry-After": {v}}, now)
		if d < 0 || !ok && d != 0 {
			t.Errorf("%q: %v, %v", v, d, ok)
		}
		trimmed := strings.TrimSpace(v)
		secs, err := strconv.ParseUint(trimmed, 10, 64)
		digits := trimmed != "" && strings.Trim(trimmed, "0123456789") == ""
		at, dateErr := http.ParseTime(trimmed)
		switch {
		case digits && err == nil && secs <= math.MaxInt64/uint64(time.Second):
			if !ok || d != time.Duration(secs)*time.Second {
				t.Errorf("%q: %v, %v", v, d, ok)
			}
		case digits:
			if !ok || d != math.MaxInt64 {
				t.Errorf("%q: %v, %v; want the longest wait", v, d, ok)
			}
		case dateErr == nil:
			if !ok || at.After(now) != (d > 0) {
				t.Errorf("%q: %v, %v", v, d, ok)
			}
		case ok:
			t.Errorf("%q is neither seconds nor a date, and is %v", v, d)
		}
	})
}

// Waits double up to their maximum, for any numbers that are valid.
func FuzzBackoff(f *testing.F) {
	f.Add(int64(time.Second), int64(4*time.Second), 3)
	f.Add(int64(1), int64(math.MaxInt64), 200)
	f.Fuzz(func(t *testing.T, first, most int64, attempts int) {
		r := Retry{Attempts: attempts % 1000, Backoff: time.Duration(first), MaxBackoff: time.Duration(most), Jitter: 1}
		if r.check() != nil {
			t.Skip()
		}
		last, sum := time.Duration(0), 0.0
		for n := 1; n < r.Attempts; n++ {
			d := r.longest(n)
			if d < last || d > r.MaxBackoff || n == 1 && d != r.Backoff {
				t.Fatalf("%+v: wait %d is %v after %v", r, n, d, last)
			}
			if w := r.wait(n); w < 0 || w > d {
				t.Fatalf("%+v: wait %d is %v of at most %v", r, n, w, d)
			}
			last, sum = d, sum+float64(d)
		}
		if got := r.longestWaits(); math.Abs(got-sum) > sum/1e9 {
			t.Errorf("%+v: all waits are %v, want %v", r, got, sum)
		}
	})
}
