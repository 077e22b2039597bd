// Package literals repeats in function literals that somebody else runs.
package literals

import (
	"net/http"
	"strings"
)

func done(resp *http.Response, err error) bool {
	if err == nil {
		resp.Body.Close()
	}
	return err == nil
}

// InGoroutine posts to each bell on its own.
func InGoroutine(bells []string) {
	for _, b := range bells {
		go func(url string) {
			for range 3 {
				if done(http.Post(url, "", nil)) { // want "POST"
					return
				}
			}
		}(b)
	}
}

// Deferred posts on the way out.
func Deferred(url string) {
	defer func() {
		for range 2 {
			if done(http.Post(url, "", strings.NewReader("bye"))) { // want "POST"
				return
			}
		}
	}()
}

// Made returns the literal.
func Made(url string) func() error {
	return func() error {
		for range 4 {
			if done(http.Post(url, "", nil)) { // want "POST"
				return nil
			}
		}
		return nil
	}
}

// Captured sends a request that was made outside, with its key.
func Captured(url, key string) func() error {
	req, err := http.NewRequest("POST", url, nil)
	if err != nil {
		return nil
	}
	req.Header.Set("Idempotency-Key", key)
	return func() error {
		for range 4 {
			if done(http.DefaultClient.Do(req)) {
				return nil
			}
		}
		return nil
	}
}

// Flagged asks a variable of the function around it.
func Flagged(url string, again bool) func() {
	return func() {
		for range 4 {
			if done(http.Post(url, "", nil)) || !again {
				return
			}
		}
	}
}
