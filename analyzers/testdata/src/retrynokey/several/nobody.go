package several

import (
	"bytes"
	"net/http"
	"strings"
)

// emptied sends one request again, whose body the first attempt has read: that is
// what retrybody says, and nothing is said here until it is mended.
func emptied(hc *http.Client, url string, text []byte) error {
	req, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(text))
	if err != nil {
		return err
	}
	for range 3 {
		resp, err := hc.Do(req)
		if err != nil {
			continue
		}
		resp.Body.Close()
		if resp.StatusCode < 500 {
			return nil
		}
	}
	return http.ErrHandlerTimeout
}

// refilled makes a reader for every attempt: the body is whole, and the key is missing.
func refilled(hc *http.Client, url, text string) error {
	for range 3 {
		req, err := http.NewRequest(http.MethodPost, url, strings.NewReader(text))
		if err != nil {
			return err
		}
		resp, err := hc.Do(req) // want "POST is sent again after a timeout"
		if err != nil {
			continue
		}
		resp.Body.Close()
		if resp.StatusCode < 500 {
			return nil
		}
	}
	return http.ErrHandlerTimeout
}
