// Package generics reads from a registry of plants through generic helpers:
// whether something is cut depends on the type that they are used with.
package generics

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"
)

// Registry is a client.
type Registry struct {
	hc    *http.Client
	base  string
	limit time.Duration
}

func (r *Registry) get(ctx context.Context, path string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.base+path, nil)
	if err != nil {
		return nil, err
	}
	return r.hc.Do(req)
}

// held runs what returns an answer that is still to be read.
func held[T any](ctx context.Context, d time.Duration, fn func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel() // want "before the body is read"
	return fn(ctx)
}

// Open uses it with a response.
func (r *Registry) Open(ctx context.Context, id string) (*http.Response, error) {
	return held(ctx, r.limit, func(ctx context.Context) (*http.Response, error) {
		return r.get(ctx, "/plants/"+id)
	})
}

// timed is the same, and is used with values only.
func timed[T any](ctx context.Context, d time.Duration, fn func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	return fn(ctx)
}

// Plant is one.
type Plant struct{ ID, Name string }

// Plant decodes inside.
func (r *Registry) Plant(ctx context.Context, id string) (*Plant, error) {
	return timed(ctx, r.limit, func(ctx context.Context) (*Plant, error) {
		return fetch[*Plant](ctx, r, "/plants/"+id)
	})
}

// fetch decodes what it gets, whatever the type.
func fetch[T any](ctx context.Context, r *Registry, path string) (v T, err error) {
	resp, err := r.get(ctx, path)
	if err != nil {
		return v, err
	}
	defer resp.Body.Close()
	err = json.NewDecoder(resp.Body).Decode(&v)
	return v, err
}

// Limited decodes under a limit of its own.
func Limited[T any](ctx context.Context, r *Registry, path string) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, r.limit)
	defer cancel()
	return fetch[T](ctx, r, path)
}

// Stream decodes values one by one.
type Stream[T any] struct {
	body io.ReadCloser
	dec  *json.Decoder
	stop context.CancelFunc
}

// Next returns the next value, or io.EOF.
func (s *Stream[T]) Next() (v T, err error) {
	err = s.dec.Decode(&v)
	return v, err
}

// Close ends what is left.
func (s *Stream[T]) Close() error {
	if s.stop != nil {
		defer s.stop()
	}
	return s.body.Close()
}

// List returns a stream whose context has ended.
func List[T any](ctx context.Context, r *Registry, path string) (*Stream[T], error) {
	ctx, cancel := context.WithTimeout(ctx, r.limit)
	defer cancel() // want "before the body is read"
	resp, err := r.get(ctx, path)
	if err != nil {
		return nil, err
	}
	return &Stream[T]{body: resp.Body, dec: json.NewDecoder(resp.Body)}, nil
}

// Plants uses it.
func (r *Registry) Plants(ctx context.Context) (*Stream[Plant], error) {
	return List[Plant](ctx, r, "/plants")
}

// Follow gives the stream what ends it.
func Follow[T any](ctx context.Context, r *Registry, path string) (*Stream[T], error) {
	ctx, cancel := context.WithCancel(ctx)
	resp, err := r.get(ctx, path)
	if err != nil {
		cancel()
		return nil, err
	}
	return &Stream[T]{resp.Body, json.NewDecoder(resp.Body), cancel}, nil
}

// sender has a Do.
type sender interface {
	Do(*http.Request) (*http.Response, error)
}

// Send sends through a type parameter.
func Send[S sender](s S, req *http.Request, d time.Duration) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(req.Context(), d)
	defer cancel() // want "before the body is read"
	return s.Do(req.WithContext(ctx))
}

// Into reads through one.
func Into[S sender, V any](s S, req *http.Request, d time.Duration, v *V) error {
	ctx, cancel := context.WithTimeout(req.Context(), d)
	defer cancel()
	resp, err := s.Do(req.WithContext(ctx))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return json.NewDecoder(resp.Body).Decode(v)
}

// API is a client of values of one type.
type API[T any] struct {
	r    *Registry
	path string
}

// Raw is a method of a generic type.
func (a *API[T]) Raw(ctx context.Context) (io.ReadCloser, error) {
	ctx, cancel := context.WithTimeout(ctx, a.r.limit)
	defer cancel() // want "before the body is read"
	resp, err := a.r.get(ctx, a.path)
	if err != nil {
		return nil, err
	}
	return resp.Body, nil
}

// All is a method that reads.
func (a *API[T]) All(ctx context.Context) ([]T, error) {
	return Limited[[]T](ctx, a.r, a.path)
}

// Answer is a value with the headers that it came with.
type Answer[T any] struct {
	Value  T
	Header http.Header
}

// One keeps what is in memory.
func (a *API[T]) One(ctx context.Context, id string) (out Answer[T], err error) {
	ctx, cancel := context.WithTimeout(ctx, a.r.limit)
	defer cancel()
	resp, err := a.r.get(ctx, a.path+"/"+id)
	if err != nil {
		return out, err
	}
	defer resp.Body.Close()
	out.Header = resp.Header
	err = json.NewDecoder(resp.Body).Decode(&out.Value)
	return out, err
}

// Uses instantiates them with several types: one report each.
func Uses(ctx context.Context, r *Registry) error {
	plants, trees := &API[Plant]{r: r, path: "/plants"}, &API[map[string]any]{r: r, path: "/trees"}
	a, err1 := plants.Raw(ctx)
	b, err2 := trees.Raw(ctx)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	return errors.Join(a.Close(), b.Close())
}
