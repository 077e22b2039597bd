// Package perhaps has operations of which some carry a key.
package perhaps

import (
	"bytes"
	"net/http"
	"strconv"
)

// Kinds are two operations of one call; whoever wrote it knows of keys.
func Kinds(hc *http.Client, base string, bulk bool, data []byte) error {
	headers := make(http.Header)
	path := "/probes"
	if bulk {
		path = "/readings"
		headers.Set("Idempotency-Key", strconv.Itoa(len(data)))
	}
	var err error
	for n := 0; n < 2; n++ {
		req, rerr := http.NewRequest(http.MethodPost, base+path, bytes.NewReader(data))
		if rerr != nil {
			return rerr
		}
		req.Header = headers
		var resp *http.Response
		if resp, err = hc.Do(req); err != nil {
			continue
		}
		resp.Body.Close()
		if resp.StatusCode < 500 {
			return nil
		}
	}
	return err
}
