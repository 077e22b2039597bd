// Package sealed stands for a library whose transport signs requests.
package sealed

import "net/http"

// Transport signs what it sends.
type Transport struct {
	Base http.RoundTripper
	Seal string
}

// RoundTrip sends once.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	signed := req.Clone(req.Context())
	signed.Header.Set("X-Seal", t.Seal)
	return t.base().RoundTrip(signed)
}

func (t *Transport) base() http.RoundTripper {
	if t.Base != nil {
		return t.Base
	}
	return http.DefaultTransport
}
