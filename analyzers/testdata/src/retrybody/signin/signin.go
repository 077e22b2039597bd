// Package signin sends again what was turned away, with a new token.
package signin

import (
	"bytes"
	"io"
	"net/http"
)

// Tokens gives tokens; renew asks for a new one.
type Tokens interface {
	Token(renew bool) (string, error)
}

// Upload sends a body of which nothing is left the second time.
func Upload(hc *http.Client, ts Tokens, url string, body io.Reader) (*http.Response, error) {
	req, err := http.NewRequest(http.MethodPut, url, body)
	if err != nil {
		return nil, err
	}
	var resp *http.Response
	for i := range 2 {
		token, err := ts.Token(i > 0)
		if err != nil {
			return nil, err
		}
		req.Header.Set("Authorization", "Bearer "+token)
		resp, err = hc.Do(req) // want `after a 401 the request is sent again with a body`
		if err != nil {
			return nil, err
		}
		if resp.StatusCode != http.StatusUnauthorized {
			break
		}
	}
	return resp, nil
}

// Anew is silent: every attempt reads the bytes from their beginning.
func Anew(hc *http.Client, ts Tokens, url string, body []byte) (*http.Response, error) {
	for i := 0; ; i++ {
		token, err := ts.Token(i > 0)
		if err != nil {
			return nil, err
		}
		req, err := http.NewRequest(http.MethodPut, url, bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		req.Header.Set("Authorization", "Bearer "+token)
		resp, err := hc.Do(req)
		if err != nil || resp.StatusCode != http.StatusUnauthorized || i > 0 {
			return resp, err
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
}
