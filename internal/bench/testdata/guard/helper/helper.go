// Package helper calls a closure again that sends.
package helper

import (
	"net/http"
	"strings"
)

func retry(n int, f func() error) (err error) {
	for range n {
		if err = f(); err == nil {
			return nil
		}
	}
	return err
}

// Post posts again.
func Post(url, order string) error {
	return retry(3, func() error {
		resp, err := http.Post(url, "text/plain", strings.NewReader(order))
		if err != nil {
			return err
		}
		return resp.Body.Close()
	})
}

// Sum calls a closure again that does not send.
func Sum() error {
	return retry(2, func() error { return nil })
}

// Head sends once.
func Head(url string) error {
	resp, err := http.Head(url)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}
