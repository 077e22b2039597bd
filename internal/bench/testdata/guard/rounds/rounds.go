// Package rounds retries in a RoundTripper.
package rounds

import "net/http"

// Transport retries.
type Transport struct{ Next http.RoundTripper }

// RoundTrip retries.
func (t *Transport) RoundTrip(req *http.Request) (resp *http.Response, err error) {
	for range 3 {
		if resp, err = t.Next.RoundTrip(req); again(resp, err) {
			continue
		}
		break
	}
	return resp, err
}

func again(resp *http.Response, err error) bool {
	return err != nil || resp.StatusCode >= 500
}

// Logged does not.
type Logged struct {
	Next http.RoundTripper
	Log  func(string)
}

// RoundTrip logs.
func (t *Logged) RoundTrip(req *http.Request) (*http.Response, error) {
	t.Log(req.URL.String())
	return t.Next.RoundTrip(req)
}
