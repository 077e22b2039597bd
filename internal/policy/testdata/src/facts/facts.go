package facts // want package:`facts\.Do sends repeats; facts\.Once sends; facts\.Ring sends repeats`

import (
	"net/http"
	"strings"
)

// Ring repeats a POST of its own.
func Ring(url string) {
	for range 3 {
		if resp, err := http.Post(url, "", strings.NewReader("ring")); err == nil {
			resp.Body.Close()
			return
		}
	}
}

// Do repeats what it is given.
func Do(c *http.Client, req *http.Request) (resp *http.Response, err error) {
	for range 3 {
		if resp, err = c.Do(req); err == nil && resp.StatusCode < 500 {
			return resp, nil
		}
	}
	return resp, err
}

// Once repeats nothing.
func Once(url string) error {
	resp, err := http.Post(url, "", nil)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}
