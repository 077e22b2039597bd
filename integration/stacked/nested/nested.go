// Package nested gives go-retryablehttp a client of go-retryablehttp.
package nested

import (
	"net/http"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

// company is the client that everyone is told to use.
func company() *http.Client {
	c := retryablehttp.NewClient()
	c.Logger = nil
	c.RetryMax = 2
	c.RetryWaitMin, c.RetryWaitMax = time.Millisecond, time.Millisecond
	return c.StandardClient()
}

// Call reads a rate of exchange at base.
func Call(base string) error {
	c := retryablehttp.NewClient()
	c.HTTPClient = company()
	c.Logger = nil
	c.RetryWaitMin, c.RetryWaitMax = time.Millisecond, time.Millisecond
	resp, err := c.Get(base + "/rates/nok")
	if err != nil {
		return err
	}
	return resp.Body.Close()
}
