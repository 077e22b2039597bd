// Package iface does not see that what it asks retries: an interface is between.
package iface

import (
	"net/http"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

type getter interface {
	Get(url string) (*http.Response, error)
}

type buoys struct {
	from getter
	base string
}

func (b *buoys) count() error {
	var err error
	for i := range 2 {
		var resp *http.Response
		if resp, err = b.from.Get(b.base + "/buoys"); err == nil {
			return resp.Body.Close()
		}
		time.Sleep(time.Duration(i) * time.Millisecond)
	}
	return err
}

// Call asks the server at base once.
func Call(base string) error {
	rc := retryablehttp.NewClient()
	rc.Logger = nil
	rc.RetryMax = 3
	rc.RetryWaitMin, rc.RetryWaitMax = time.Millisecond, time.Millisecond
	b := &buoys{from: rc, base: base}
	return b.count()
}
