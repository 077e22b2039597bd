package requests

import (
	"bytes"
	"net/http"
)

// Sender is what sends, and Persistence sends again, as it is, what it is given:
// that is one mistake, and it is said there, however many hand it a request.
type Sender interface {
	Do(*http.Request) (*http.Response, error)
}

type Persistence struct{ most int }

func (p *Persistence) Run(do func(*http.Request) (*http.Response, error), req *http.Request) (*http.Response, error) {
	return p.run(do, req, 0)
}

func (p *Persistence) run(do func(*http.Request) (*http.Response, error), req *http.Request, n int) (*http.Response, error) {
	resp, err := do(req) // want "a body that the first attempt has read"
	if err != nil {
		return nil, err
	}
	if resp.StatusCode >= 500 && n < p.most {
		resp.Body.Close()
		return p.run(do, req, n+1)
	}
	return resp, nil
}

// Archive hands it requests of its own.
type Archive struct {
	s Sender
	p *Persistence
}

func (a *Archive) Put(url string, doc []byte) error {
	req, err := http.NewRequest(http.MethodPut, url, bytes.NewReader(doc))
	if err != nil {
		return err
	}
	return check(a.p.Run(a.s.Do, req))
}

func (a *Archive) Amend(url string, doc []byte) error {
	req, err := http.NewRequest(http.MethodPut, url+"/amendments", bytes.NewBuffer(doc))
	if err != nil {
		return err
	}
	return check(a.p.Run(a.s.Do, req))
}
