// Package lamp asks lamps. Its API does not mention net/http.
package lamp

import (
	"errors"
	"net/http"
	"strings"
)

// Lit asks whether a lamp is on: no body, and the answer is closed.
func Lit(url string) error {
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		return errors.New(resp.Status)
	}
	return nil
}

// Dim sends how bright a lamp should be, by a reader that is new each time.
func Dim(url, level string) error {
	return send(url, strings.NewReader(level))
}

func send(url string, level *strings.Reader) error {
	req, err := http.NewRequest(http.MethodPut, url, level)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// DimFrom sends what a reader still has.
func DimFrom(url string, level *strings.Reader) error { return send(url, level) }
