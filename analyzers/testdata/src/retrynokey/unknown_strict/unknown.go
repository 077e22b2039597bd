// Package unknown_strict runs with -strict: what is not known is said, and
// what of it is unknown.
package unknown_strict

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
)

var errLost = errors.New("no answer")

// Pigeon carries letters.
type Pigeon struct {
	hc     *http.Client
	url    string
	again  func(error) bool
	header string
}

// Asking lets a function of its owner's decide.
func (p *Pigeon) Asking(text string) error {
	for range 3 {
		resp, err := p.hc.Post(p.url, "", strings.NewReader(text)) // want `POST may be sent again after .*what decides`
		if err == nil {
			return resp.Body.Close()
		}
		if !p.again(err) {
			return err
		}
	}
	return errLost
}

// Named sets a header whose name is a setting.
func (p *Pigeon) Named(text, value string) error {
	for range 3 {
		req, err := http.NewRequest("POST", p.url, strings.NewReader(text))
		if err != nil {
			return err
		}
		req.Header.Set(p.header, value)
		resp, err := p.hc.Do(req) // want `POST may be sent again after .*may set one`
		if err == nil {
			return resp.Body.Close()
		}
	}
	return errLost
}

// Polling goes on until the answer says that it is done.
func (p *Pigeon) Polling(text string) error {
	for range 30 {
		resp, err := p.hc.Post(p.url, "", strings.NewReader(text)) // want `POST may be sent again after .*as in polling`
		if err != nil {
			continue
		}
		var state struct{ Done bool }
		err = json.NewDecoder(resp.Body).Decode(&state)
		resp.Body.Close()
		if err != nil || state.Done {
			return err
		}
	}
	return errLost
}

// Working takes the next one after a success: no retry, even so.
func (p *Pigeon) Working(letters chan string) {
	for l := range letters {
		if resp, err := p.hc.Post(p.url, "", strings.NewReader(l)); err == nil {
			resp.Body.Close()
		}
	}
}

// Sure is reported as ever.
func (p *Pigeon) Sure(text string) error {
	for range 3 {
		resp, err := p.hc.Post(p.url, "", strings.NewReader(text)) // want `POST is sent again after`
		if err == nil {
			return resp.Body.Close()
		}
	}
	return errLost
}
