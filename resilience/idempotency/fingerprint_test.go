package idempotency

import (
	"net/http"
	"net/url"
	"testing"
)

// FuzzFingerprint: the same request has the same fingerprint, and one that
// differs in any part, or divides the same bytes otherwise, has another.
func FuzzFingerprint(f *testing.F) {
	f.Add("POST", "/pay", "a=1", "text/plain", []byte("12"), "POST", "/pay", "a=1", "text/plain", []byte("13"))
	f.Add("POST", "/pay", "", "", []byte("x"), "POST", "/pa", "", "", []byte("yx"))
	f.Add("PUT", "/a", "b", "c", []byte("d"), "PUT", "/a", "", "bc", []byte("d"))
	f.Fuzz(func(t *testing.T, m1, p1, q1, t1 string, b1 []byte, m2, p2, q2, t2 string, b2 []byte) {
		one, two := make1(m1, p1, q1, t1), make1(m2, p2, q2, t2)
		same := m1 == m2 && one.URL.EscapedPath() == two.URL.EscapedPath() && q1 == q2 && t1 == t2 && string(b1) == string(b2)
		a, b := fingerprint(one, b1), fingerprint(two, b2)
		if (a == b) != same {
			t.Errorf("%q and %q: same fingerprint %v, same request %v", []any{m1, p1, q1, t1, b1}, []any{m2, p2, q2, t2, b2}, a == b, same)
		}
		if a != fingerprint(one, b1) || len(a) != 64 {
			t.Errorf("%q is not stable", a)
		}
	})
}

func make1(method, path, query, contentType string) *http.Request {
	return &http.Request{Method: method, URL: &url.URL{Path: path, RawQuery: query}, Header: http.Header{"Content-Type": {contentType}}}
}
