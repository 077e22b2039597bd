// Package transports repeats below a client, whatever the client is given.
package transports

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

func failed(resp *http.Response, err error) bool {
	return err != nil || resp.StatusCode >= 500
}

func toss(resp *http.Response) {
	if resp != nil {
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
	}
}

func outcome(resp *http.Response, err error) error {
	if err != nil {
		return err
	}
	defer toss(resp)
	if resp.StatusCode >= 400 {
		return fmt.Errorf("museum: %s", resp.Status)
	}
	return nil
}

// again hands the same request on in each round.
type again struct{ next http.RoundTripper }

func (t again) RoundTrip(req *http.Request) (*http.Response, error) {
	for n := 0; ; n++ {
		resp, err := t.next.RoundTrip(req) // want `body`
		if n == 2 || !failed(resp, err) {
			return resp, err
		}
		toss(resp)
		time.Sleep(time.Second << n)
	}
}

// Hang puts a picture through again.
func Hang(url, key string, picture *os.File) error {
	hc := &http.Client{Transport: again{next: http.DefaultTransport}}
	req, err := http.NewRequest(http.MethodPost, url, picture)
	if err != nil {
		return err
	}
	req.Header.Set("Idempotency-Key", key)
	return outcome(hc.Do(req))
}

// copies hands on copies, which have one body between them.
type copies struct{ next http.RoundTripper }

func (t copies) RoundTrip(req *http.Request) (resp *http.Response, err error) {
	for range 3 {
		ctx, cancel := context.WithTimeout(req.Context(), 20*time.Second)
		resp, err = t.next.RoundTrip(req.Clone(ctx)) // want `body`
		if err == nil {
			context.AfterFunc(req.Context(), cancel)
			return resp, nil
		}
		cancel()
	}
	return nil, err
}

// HangCopies posts through copies.
func HangCopies(url string, picture io.Reader) error {
	hc := &http.Client{Transport: copies{next: http.DefaultTransport}}
	return outcome(hc.Post(url, "image/png", picture))
}

// reopening gives each attempt a body of its own, and repeats nothing else.
type reopening struct{ next http.RoundTripper }

func (t reopening) RoundTrip(req *http.Request) (*http.Response, error) {
	for n := 0; ; n++ {
		r := req.Clone(req.Context())
		if req.Body != nil && req.Body != http.NoBody {
			if req.GetBody == nil {
				return t.next.RoundTrip(req)
			}
			body, err := req.GetBody()
			if err != nil {
				return nil, err
			}
			r.Body = body
		}
		resp, err := t.next.RoundTrip(r)
		if n == 2 || !failed(resp, err) {
			return resp, err
		}
		toss(resp)
	}
}

// HangReopening posts through it what can be opened again, and what cannot.
func HangReopening(url string, picture []byte, sketch io.Reader) error {
	hc := &http.Client{Transport: reopening{next: http.DefaultTransport}}
	return errors.Join(
		outcome(hc.Post(url, "image/png", bytes.NewReader(picture))),
		outcome(hc.Post(url, "image/png", sketch)),
	)
}

// buffering reads the body before the first attempt.
type buffering struct{ next http.RoundTripper }

func (t buffering) RoundTrip(req *http.Request) (*http.Response, error) {
	var body []byte
	if req.Body != nil {
		var err error
		body, err = io.ReadAll(req.Body)
		_ = req.Body.Close()
		if err != nil {
			return nil, err
		}
	}
	for n := 0; ; n++ {
		r := req.Clone(req.Context())
		if body != nil {
			r.Body = io.NopCloser(bytes.NewReader(body))
		}
		resp, err := t.next.RoundTrip(r)
		if n == 2 || !failed(resp, err) {
			return resp, err
		}
		toss(resp)
	}
}

// HangBuffering posts through it.
func HangBuffering(url string, picture io.Reader) error {
	hc := &http.Client{Transport: buffering{next: http.DefaultTransport}}
	return outcome(hc.Post(url, "image/png", picture))
}

// bufferingOnce reads it, and puts it back only once.
type bufferingOnce struct{ next http.RoundTripper }

func (t bufferingOnce) RoundTrip(req *http.Request) (*http.Response, error) {
	r := req.Clone(req.Context())
	if req.Body != nil {
		body, err := io.ReadAll(req.Body)
		_ = req.Body.Close()
		if err != nil {
			return nil, err
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	for n := 0; ; n++ {
		resp, err := t.next.RoundTrip(r) // want `body`
		if n == 2 || !failed(resp, err) {
			return resp, err
		}
		toss(resp)
	}
}

// HangBufferingOnce posts through it.
func HangBufferingOnce(url string, picture io.Reader) error {
	hc := &http.Client{Transport: bufferingOnce{next: http.DefaultTransport}}
	return outcome(hc.Post(url, "image/png", picture))
}

// reads repeats only what has no body.
type reads struct{ next http.RoundTripper }

func (t reads) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method != http.MethodGet && req.Method != http.MethodHead {
		return t.next.RoundTrip(req)
	}
	for n := 0; ; n++ {
		resp, err := t.next.RoundTrip(req)
		if n == 2 || !failed(resp, err) {
			return resp, err
		}
		toss(resp)
	}
}

// Visit reads and writes through it.
func Visit(url string, picture io.Reader) error {
	hc := &http.Client{Transport: reads{next: http.DefaultTransport}}
	return errors.Join(outcome(hc.Get(url)), outcome(hc.Post(url, "image/png", picture)))
}

// persist repeats a request that is handed to it.
func persist(hc *http.Client, req *http.Request) (resp *http.Response, err error) {
	for n := 0; n < 3; n++ {
		if resp, err = hc.Do(req); !failed(resp, err) { // want `body`
			return resp, err
		}
		toss(resp)
	}
	return nil, errors.New("museum: no answer after three attempts")
}

// Label sends one that has a body.
func Label(ctx context.Context, hc *http.Client, url string, text io.Reader) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, url, text)
	if err != nil {
		return err
	}
	return outcome(persist(hc, req))
}

// ask repeats as well, and is only given questions.
func ask(hc *http.Client, req *http.Request) (resp *http.Response, err error) {
	for n := 0; n < 3; n++ {
		if resp, err = hc.Do(req); !failed(resp, err) {
			return resp, err
		}
		toss(resp)
	}
	return nil, errors.New("no answer")
}

// Labels asks for all of them.
func Labels(ctx context.Context, hc *http.Client, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	return outcome(ask(hc, req))
}
