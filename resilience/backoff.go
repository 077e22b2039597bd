package resilience

import (
	"math"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// longest is the longest wait after attempt n, counted from 1.
func (r Retry) longest(n int) time.Duration {
	d := r.Backoff
	for ; n > 1 && d < r.MaxBackoff; n-- {
		if d > math.MaxInt64/2 {
			return r.MaxBackoff
		}
		d *= 2
	}
	return min(d, r.MaxBackoff)
}

// longestWaits is how long all waits take when each is at its longest, in
// nanoseconds. It is not a Duration because it may be longer than one holds.
func (r Retry) longestWaits() float64 {
	var sum float64
	for n := 1; n < r.Attempts; n++ {
		d := r.longest(n)
		if d == r.MaxBackoff { // and so are the rest
			return sum + float64(d)*float64(r.Attempts-n)
		}
		sum += float64(d)
	}
	return sum
}

// wait draws the wait after attempt n.
func (r Retry) wait(n int) time.Duration {
	d := float64(r.longest(n))
	return time.Duration(d - r.Jitter*d*rand.Float64())
}

// retryAfter reads a Retry-After header (RFC 9110 section 10.2.3: a number of
// seconds, or a date) as a time from now; ok is false when there is none that
// can be read. A date that has passed is 0. It is never negative.
func retryAfter(h http.Header, now time.Time) (d time.Duration, ok bool) {
	v := strings.TrimSpace(h.Get("Retry-After"))
	if v == "" {
		return 0, false
	}
	if strings.Trim(v, "0123456789") == "" {
		secs, err := strconv.ParseInt(v, 10, 64)
		if err != nil || secs > int64(math.MaxInt64/time.Second) {
			return math.MaxInt64, true // longer than a Duration holds
		}
		return time.Duration(secs) * time.Second, true
	}
	at, err := http.ParseTime(v)
	if err != nil {
		return 0, false
	}
	return max(0, at.Sub(now)), true
}
