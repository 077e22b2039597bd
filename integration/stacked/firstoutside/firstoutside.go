// Package firstoutside makes its first attempt before the loop.
package firstoutside

import (
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

// Call asks the server at base once.
func Call(base string) error {
	rc := retryablehttp.NewClient()
	rc.Logger = nil
	rc.RetryMax = 1
	rc.RetryWaitMin, rc.RetryWaitMax = time.Millisecond, time.Millisecond
	get := func() error {
		resp, err := rc.Get(base + "/wind")
		if err != nil {
			return err
		}
		return resp.Body.Close()
	}
	err := get()
	for i := 0; i < 3 && err != nil; i++ {
		err = get()
	}
	return err
}
