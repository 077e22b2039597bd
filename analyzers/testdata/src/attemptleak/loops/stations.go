// Package loops asks weather stations, and asks again. What a failed attempt
// has brought stays open in some of its loops.
package loops

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"time"
)

var errSilent = errors.New("no answer from the station")

// Station is a client of one.
type Station struct {
	hc       *http.Client
	base     string
	attempts int
}

// Weather is an answer.
type Weather struct {
	Degrees float64
	Wind    float64
}

func (s *Station) request(ctx context.Context, path string) (*http.Request, error) {
	return http.NewRequestWithContext(ctx, http.MethodGet, s.base+path, nil)
}

func decode(resp *http.Response) (w Weather, err error) {
	defer resp.Body.Close()
	err = json.NewDecoder(resp.Body).Decode(&w)
	return w, err
}

func pause(ctx context.Context, n int) error {
	t := time.NewTimer(time.Duration(n+1) * 250 * time.Millisecond)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Counted remembers the status and forgets the body.
func (s *Station) Counted(ctx context.Context) (Weather, error) {
	var last error
	for n := 0; n < s.attempts; n++ {
		if n > 0 {
			if err := pause(ctx, n); err != nil {
				return Weather{}, errors.Join(last, err)
			}
		}
		req, err := s.request(ctx, "/now")
		if err != nil {
			return Weather{}, err
		}
		resp, err := s.hc.Do(req) // want "not closed"
		if err != nil {
			last = err
			continue
		}
		if resp.StatusCode >= 500 || resp.StatusCode == http.StatusTooManyRequests {
			last = fmt.Errorf("station: %s", resp.Status)
			continue
		}
		return decode(resp)
	}
	return Weather{}, last
}

// Range is the shortest form of it.
func (s *Station) Range() (resp *http.Response, err error) {
	for range 3 {
		resp, err = s.hc.Get(s.base + "/now") // want "not closed"
		if err == nil && resp.StatusCode == http.StatusOK {
			return resp, nil
		}
		time.Sleep(time.Second)
	}
	return resp, err
}

// Endless leaves when the caller does.
func (s *Station) Endless(ctx context.Context) (*http.Response, error) {
	for n := 1; ; n++ {
		req, err := s.request(ctx, "/now")
		if err != nil {
			return nil, err
		}
		resp, err := s.hc.Do(req) // want "not closed"
		switch {
		case err != nil && ctx.Err() != nil:
			return nil, err
		case err != nil:
			// once more
		case resp.StatusCode < 500:
			return resp, nil
		}
		if err := pause(ctx, min(n, 10)); err != nil {
			return nil, err
		}
	}
}

// ByDeadline goes on until it is too late.
func (s *Station) ByDeadline(until time.Time) (w Weather, err error) {
	err = errSilent
	for time.Now().Before(until) {
		var resp *http.Response
		if resp, err = http.Get(s.base + "/now"); err == nil { // want "not closed"
			if resp.StatusCode == http.StatusOK {
				return decode(resp)
			}
			err = fmt.Errorf("station: %d", resp.StatusCode)
		}
		time.Sleep(500 * time.Millisecond)
	}
	return w, err
}

// Jump goes back to a label.
func (s *Station) Jump(ctx context.Context) (*http.Response, error) {
	left := 3
again:
	req, err := s.request(ctx, "/now")
	if err != nil {
		return nil, err
	}
	resp, err := s.hc.Do(req) // want "not closed"
	if left--; left > 0 && (err != nil || resp.StatusCode == http.StatusBadGateway) {
		goto again
	}
	return resp, err
}

// Labelled leaves a switch by the label of the loop.
func (s *Station) Labelled(ctx context.Context) (*http.Response, error) {
	var last error
attempts:
	for n := range 4 {
		req, err := s.request(ctx, "/now")
		if err != nil {
			return nil, err
		}
		resp, err := s.hc.Do(req) // want "not closed"
		if err != nil {
			return nil, err
		}
		switch {
		case resp.StatusCode == http.StatusServiceUnavailable, resp.StatusCode == http.StatusTooManyRequests:
			last = errors.New(resp.Header.Get("Retry-After"))
			if err := pause(ctx, n); err != nil {
				return nil, err
			}
			continue attempts
		case resp.StatusCode >= 400:
			resp.Body.Close()
			break attempts
		}
		return resp, nil
	}
	return nil, last
}

// tries yields the numbers of attempts, with a pause between.
func tries(ctx context.Context, n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range n {
			if i > 0 && pause(ctx, i) != nil {
				return
			}
			if !yield(i) {
				return
			}
		}
	}
}

// Iterated has its attempts from an iterator.
func (s *Station) Iterated(ctx context.Context) (Weather, error) {
	for range tries(ctx, 5) {
		req, err := s.request(ctx, "/now")
		if err != nil {
			return Weather{}, err
		}
		resp, err := s.hc.Do(req) // want "not closed"
		if err != nil {
			continue
		}
		if resp.StatusCode == http.StatusOK {
			return decode(resp)
		}
	}
	return Weather{}, errSilent
}

// From here on: nothing to report.

// Closed closes what it does not use.
func (s *Station) Closed(ctx context.Context) (Weather, error) {
	var last error
	for n := 0; n < s.attempts; n++ {
		req, err := s.request(ctx, "/now")
		if err != nil {
			return Weather{}, err
		}
		resp, err := s.hc.Do(req)
		if err != nil {
			last = err
			continue
		}
		if resp.StatusCode >= 500 {
			io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10))
			resp.Body.Close()
			last = fmt.Errorf("station: %s", resp.Status)
			continue
		}
		return decode(resp)
	}
	return Weather{}, last
}

// Transport repeats only what brought no answer.
func (s *Station) Transport(ctx context.Context) (*http.Response, error) {
	for n := 0; ; n++ {
		req, err := s.request(ctx, "/now")
		if err != nil {
			return nil, err
		}
		resp, err := s.hc.Do(req)
		if err == nil || n == 3 {
			return resp, err
		}
		if err := pause(ctx, n); err != nil {
			return nil, err
		}
	}
}

// Last returns the answer of the last attempt as it is, and closes the others.
func (s *Station) Last(ctx context.Context) (*http.Response, error) {
	for n := 1; ; n++ {
		req, err := s.request(ctx, "/now")
		if err != nil {
			return nil, err
		}
		resp, err := s.hc.Do(req)
		if n == s.attempts || err == nil && resp.StatusCode < 500 {
			return resp, err
		}
		if err == nil {
			resp.Body.Close()
		}
	}
}

// Stations asks each one once: a loop over items, which is another mistake if
// it is one.
func Stations(hc *http.Client, all []string) (up int) {
	for _, base := range all {
		resp, err := hc.Get(base + "/alive")
		if err != nil {
			continue
		}
		if resp.StatusCode == http.StatusOK {
			up++
		}
	}
	return up
}

// Once sends a single time, and leaves a bad answer open: no second attempt
// suffers from it.
func (s *Station) Once(ctx context.Context) (Weather, error) {
	req, err := s.request(ctx, "/now")
	if err != nil {
		return Weather{}, err
	}
	resp, err := s.hc.Do(req)
	if err != nil {
		return Weather{}, err
	}
	if resp.StatusCode != http.StatusOK {
		return Weather{}, fmt.Errorf("station: %s", resp.Status)
	}
	return decode(resp)
}
