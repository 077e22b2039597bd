package loops

import (
	"bytes"
	"net/http"
)

// Fleet has several hosts for one account.
type Fleet struct {
	hc    *http.Client
	hosts []string
}

// NextHost: the same booking goes to another host after a failure, and both
// may have taken it.
func (f *Fleet) NextHost(body []byte) error {
	for _, host := range f.hosts {
		resp, err := f.hc.Post("https://"+host+"/parcels", mime, bytes.NewReader(body)) // want "POST"
		if err == nil && resp.StatusCode < 500 {
			discard(resp)
			return outcome(resp, nil)
		}
		discard(resp)
	}
	return errGaveUp
}

// RoundRobin: the host is picked by the number of the attempt.
func (f *Fleet) RoundRobin(body []byte) error {
	for n := range 4 {
		host := f.hosts[n%len(f.hosts)]
		resp, err := f.hc.Post("https://"+host+"/parcels", mime, bytes.NewReader(body)) // want "POST"
		if err == nil {
			discard(resp)
			return outcome(resp, nil)
		}
	}
	return errGaveUp
}
