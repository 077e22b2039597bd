// Package helper gives a helper a closure that asks a retrying client.
package helper

import (
	"errors"
	"io"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

// persist calls do until it succeeds, so many times at most.
func persist(times int, pause time.Duration, do func() error) error {
	var failures []error
	for len(failures) < times {
		err := do()
		if err == nil {
			return nil
		}
		failures = append(failures, err)
		time.Sleep(pause)
	}
	return errors.Join(failures...)
}

// Call reads the weather at base.
func Call(base string) error {
	client := retryablehttp.NewClient()
	client.Logger = nil
	client.RetryWaitMin, client.RetryWaitMax = time.Millisecond, 2*time.Millisecond
	return persist(3, time.Millisecond, func() error {
		resp, err := client.Get(base + "/weather")
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		_, err = io.Copy(io.Discard, resp.Body)
		return err
	})
}
