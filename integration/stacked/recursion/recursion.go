// Package recursion tries again by calling itself, around a loop.
package recursion

import (
	"fmt"
	"net/http"
	"time"
)

// fetch tries twice.
func fetch(url string) (*http.Response, error) {
	var failure error
	for n := 0; n < 2; n++ {
		resp, err := http.Get(url)
		if err != nil {
			failure = err
			continue
		}
		if resp.StatusCode < http.StatusInternalServerError {
			return resp, nil
		}
		resp.Body.Close()
		failure = fmt.Errorf("%s: %s", url, resp.Status)
	}
	return nil, failure
}

// follow fetches, and once more as often as there is something left.
func follow(url string, left int) (*http.Response, error) {
	resp, err := fetch(url)
	if err != nil && left > 0 {
		time.Sleep(time.Millisecond)
		return follow(url, left-1)
	}
	return resp, err
}

// Call fetches the list of ships at base.
func Call(base string) error {
	resp, err := follow(base+"/ships", 4)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}
