package facts

import (
	"net/http"
	"strings"
)

// Ring repeats a POST of its own.
func Ring(url string) { // want Ring:`^sends\(POST\)retries\(a timeout or a connection reset\)$`
	for range 3 {
		if resp, err := http.Post(url, "", strings.NewReader("ring")); err == nil {
			resp.Body.Close()
			return
		}
	}
}

// Do repeats what it is given.
func Do(c *http.Client, req *http.Request) (resp *http.Response, err error) { // want Do:`^sends\(unknown\)retries\(a timeout, a connection reset or a 5xx response\)$`
	for range 3 {
		if resp, err = c.Do(req); err == nil && resp.StatusCode < 500 {
			return resp, nil
		}
	}
	return resp, err
}

// Once repeats nothing, and has nothing to say.
func Once(url string) error {
	resp, err := http.Post(url, "", nil)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}
