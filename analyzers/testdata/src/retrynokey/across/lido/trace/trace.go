// Package trace shows what goes over the wire, if it is asked to.
package trace

import (
	"log"
	"net/http"
	"os"

	"github.com/hardy/persist"
)

// Transport writes down what passes.
type Transport struct{ under http.RoundTripper }

// RoundTrip sends once.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	log.Print(req.URL)
	return t.under.RoundTrip(req)
}

// Wrap puts a Transport around that of a client where the environment says so.
func Wrap(h *http.Client) *http.Client {
	if _, on := os.LookupEnv("LIDO_TRACE"); on {
		h.Transport = &Transport{under: h.Transport}
	}
	return h
}

// Maybe gives a client that tries again where the environment says so.
func Maybe() *http.Client {
	if _, on := os.LookupEnv("LIDO_PERSIST"); on {
		return persist.New().Standard()
	}
	return &http.Client{Transport: &Transport{under: http.DefaultTransport}}
}
