// Package signin asks again with a new token.
package signin

import "net/http"

// Ask leaves the answer that turned it away open.
func Ask(hc *http.Client, url string, token func() string) (resp *http.Response, err error) {
	for range 2 {
		req, rerr := http.NewRequest(http.MethodGet, url, nil)
		if rerr != nil {
			return nil, rerr
		}
		req.Header.Set("Authorization", token())
		resp, err = hc.Do(req) // want `after a 401 its connection`
		if err != nil || resp.StatusCode != http.StatusUnauthorized {
			return resp, err
		}
	}
	return resp, err
}

// Closed is silent.
func Closed(hc *http.Client, url string, token func() string) (resp *http.Response, err error) {
	for n := range 2 {
		req, rerr := http.NewRequest(http.MethodGet, url, nil)
		if rerr != nil {
			return nil, rerr
		}
		req.Header.Set("Authorization", token())
		resp, err = hc.Do(req)
		if err != nil || resp.StatusCode != http.StatusUnauthorized || n == 1 {
			return resp, err
		}
		resp.Body.Close()
	}
	return resp, err
}
