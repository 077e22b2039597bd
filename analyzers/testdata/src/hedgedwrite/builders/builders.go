// Package builders makes what hedges in several steps.
package builders

import (
	"net/http"
	"time"

	"github.com/failsafe-go/failsafe-go/failsafehttp"
	"github.com/failsafe-go/failsafe-go/hedgepolicy"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
)

func vote(url string) (*http.Response, error) {
	hedge := hedgepolicy.NewBuilderWithDelay[*http.Response](time.Second).WithMaxHedges(1).Build()
	c := &http.Client{Transport: failsafehttp.NewRoundTripper(nil, hedge)}
	return c.Post(url, "text/plain", nil) // want `POST goes through a client that hedges \(failsafe-go\)`
}

func voteOnce(url string) (*http.Response, error) {
	c := &http.Client{Transport: failsafehttp.NewRoundTripper(nil, retrypolicy.NewWithDefaults[*http.Response]())}
	return c.Post(url, "text/plain", nil)
}

func read(url string) (*http.Response, error) {
	c := &http.Client{Transport: failsafehttp.NewRoundTripper(nil, hedgepolicy.NewWithDelay[*http.Response](time.Second))}
	return c.Get(url)
}
