// Package answers looks at answers for other packages; some of its functions
// close them.
package answers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// Passing says whether a failure may pass. It reads the status.
func Passing(resp *http.Response, err error) bool {
	if err != nil {
		return !errors.Is(err, context.Canceled)
	}
	switch resp.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// Wait is how long the server wants to be left alone. It reads a header.
func Wait(resp *http.Response, otherwise time.Duration) time.Duration {
	if resp == nil {
		return otherwise
	}
	s, err := strconv.Atoi(resp.Header.Get("Retry-After"))
	if err != nil || s < 0 {
		return otherwise
	}
	return time.Duration(s) * time.Second
}

// Drop closes an answer that nobody wants.
func Drop(resp *http.Response) {
	if resp == nil {
		return
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 128<<10))
	_ = resp.Body.Close()
}

// Check makes an error of a failure, and closes it.
func Check(resp *http.Response) error {
	if resp.StatusCode < 400 {
		return nil
	}
	defer Drop(resp)
	text, _ := io.ReadAll(io.LimitReader(resp.Body, 512))
	return fmt.Errorf("%s: %s", resp.Status, text)
}

// Judge makes an error of a failure, and leaves it open.
func Judge(resp *http.Response) error {
	if resp.StatusCode < 400 {
		return nil
	}
	return fmt.Errorf("%s %s", resp.Request.URL.Path, resp.Status)
}
