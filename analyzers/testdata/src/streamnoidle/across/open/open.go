// Package open opens streams for others.
package open

import (
	"io"
	"net/http"
)

func Stream(url string) (io.ReadCloser, error) {
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "text/event-stream")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	return resp.Body, nil
}

// Answer returns a response with its body unread.
func Answer(url string) (*http.Response, error) { return http.Get(url) }
