// Package generics asks depots through generic helpers and types.
package generics

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Depot is a client of values of one type.
type Depot[T any] struct {
	hc   *http.Client
	base string
}

func (d *Depot[T]) ask(ctx context.Context, path string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, d.base+path, nil)
	if err != nil {
		return nil, err
	}
	return d.hc.Do(req)
}

// Stock is a method of a generic type.
func (d *Depot[T]) Stock(ctx context.Context, id string) (v T, err error) {
	for n := range 4 {
		var resp *http.Response
		resp, err = d.ask(ctx, "/stock/"+id) // want "not closed"
		if err != nil {
			continue
		}
		if resp.StatusCode >= 500 {
			err = fmt.Errorf("depot: %s", resp.Status)
			time.Sleep(time.Duration(n) * time.Second)
			continue
		}
		defer resp.Body.Close()
		err = json.NewDecoder(resp.Body).Decode(&v)
		return v, err
	}
	return v, err
}

// StockClosed closes.
func (d *Depot[T]) StockClosed(ctx context.Context, id string) (v T, err error) {
	for range 4 {
		var resp *http.Response
		resp, err = d.ask(ctx, "/stock/"+id)
		if err != nil {
			continue
		}
		if resp.StatusCode >= 500 {
			err = errors.Join(fmt.Errorf("depot: %s", resp.Status), resp.Body.Close())
			continue
		}
		defer resp.Body.Close()
		err = json.NewDecoder(resp.Body).Decode(&v)
		return v, err
	}
	return v, err
}

// sender has a Do.
type sender interface {
	Do(*http.Request) (*http.Response, error)
}

// Send repeats through a type parameter.
func Send[S sender](s S, req *http.Request) (resp *http.Response, err error) {
	if req.Method != http.MethodGet {
		return s.Do(req)
	}
	for range 3 {
		resp, err = s.Do(req) // want "not closed"
		if err == nil && resp.StatusCode != http.StatusServiceUnavailable {
			return resp, nil
		}
	}
	return resp, err
}

// closable is what can be closed.
type closable interface{ Close() error }

// Until calls fn until its value is good; a value that is not is closed.
func Until[T closable](n int, fn func() (T, error), good func(T) bool) (v T, err error) {
	for range n {
		v, err = fn()
		if err != nil {
			continue
		}
		if good(v) {
			return v, nil
		}
		v.Close()
	}
	return v, err
}

// Any calls fn until it works; it cannot close what it does not know.
func Any[T any](n int, fn func() (T, error)) (v T, err error) {
	for range n {
		if v, err = fn(); err == nil {
			return v, nil
		}
	}
	return v, err
}

type answer struct{ *http.Response }

func (a answer) Close() error { return a.Body.Close() }

// Picked is closed by the helper.
func (d *Depot[T]) Picked(ctx context.Context) (*http.Response, error) {
	a, err := Until(3, func() (answer, error) {
		resp, err := d.ask(ctx, "/picked")
		return answer{resp}, err
	}, func(a answer) bool { return a.StatusCode < 500 })
	return a.Response, err
}

// Packed is closed by nobody.
func (d *Depot[T]) Packed(ctx context.Context) (*http.Response, error) {
	return Any(3, func() (*http.Response, error) {
		resp, err := d.ask(ctx, "/packed") // want "not closed"
		if err == nil && resp.StatusCode >= 500 {
			err = fmt.Errorf("depot: %s", resp.Status)
		}
		return resp, err
	})
}

// Loaded has a value and no answer: it is closed inside.
func (d *Depot[T]) Loaded(ctx context.Context) (T, error) {
	return Any(3, func() (v T, err error) {
		resp, err := d.ask(ctx, "/loaded")
		if err != nil {
			return v, err
		}
		defer resp.Body.Close()
		if resp.StatusCode >= 500 {
			return v, fmt.Errorf("depot: %s", resp.Status)
		}
		err = json.NewDecoder(resp.Body).Decode(&v)
		return v, err
	})
}

// Uses instantiates it twice; there is one report each.
func Uses(ctx context.Context, hc *http.Client) error {
	a, b := &Depot[int]{hc: hc}, &Depot[[]string]{hc: hc}
	_, err1 := a.Stock(ctx, "1")
	_, err2 := b.Stock(ctx, "2")
	_, err3 := Send(hc, &http.Request{Method: http.MethodGet})
	return errors.Join(err1, err2, err3)
}
