// Package use hands closures that send to a helper of another package.
package use

import (
	"net/http"
	"strings"

	"guard/across/retry"
)

// Post posts again.
func Post(url, order string) error {
	return retry.Do(3, func() error {
		resp, err := http.Post(url, "text/plain", strings.NewReader(order))
		if err != nil {
			return err
		}
		return resp.Body.Close()
	})
}

// Get sends once.
func Get(url string) error {
	resp, err := http.Get(url)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}
