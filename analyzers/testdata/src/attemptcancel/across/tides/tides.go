// Package tides is an application: it derives in one package, sends in
// another, and hands out readers of a third.
package tides

import (
	"context"
	"io"
	"net/http"
	"time"

	"attemptcancel/across/events"
	"attemptcancel/across/limits"
	"attemptcancel/across/wire"
)

// Tides is a client.
type Tides struct {
	hc    *http.Client
	base  string
	limit time.Duration
	slots chan struct{}
}

// Table derives elsewhere and sends elsewhere.
func (t *Tides) Table(ctx context.Context, port string) (*http.Response, error) {
	ctx, cancel := limits.For(ctx)
	defer cancel() // want "before the body is read"
	return wire.Get(ctx, t.hc, t.base+"/tables/"+port)
}

// Events returns a reader of another package over the body.
func (t *Tides) Events(ctx context.Context, port string) (*events.Reader, error) {
	ctx, done := limits.Or(ctx, t.limit)
	defer done() // want "before the body is read"
	body, err := wire.Open(ctx, t.hc, t.base+"/events/"+port)
	if err != nil {
		return nil, err
	}
	return events.NewReader(body), nil
}

// Do gets a request that another package has limited.
func (t *Tides) Do(req *http.Request) (*http.Response, error) {
	req, end := limits.Request(req, t.limit)
	defer end() // want "before the body is read"
	return t.hc.Do(req)
}

// Scoped ends a context by a method of another package.
func (t *Tides) Scoped(ctx context.Context, port string) (io.ReadCloser, error) {
	s := limits.Enter(ctx, time.Minute)
	defer s.Leave() // want "before the body is read"
	return wire.Open(s.Context(), t.hc, t.base+"/tables/"+port)
}

// Tagged lets another package have the answer, which does not read it.
func (t *Tides) Tagged(ctx context.Context, port string) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, t.limit)
	defer cancel() // want "before the body is read"
	resp, err := wire.Get(ctx, t.hc, t.base+"/tables/"+port)
	if err != nil {
		return nil, err
	}
	return wire.Tag(resp, "tides"), nil
}

// From here on: nothing to report.

// Slurped is read in another package.
func (t *Tides) Slurped(ctx context.Context, port string) (*http.Response, error) {
	ctx, cancel := limits.For(ctx)
	defer cancel()
	resp, err := wire.Get(ctx, t.hc, t.base+"/tables/"+port)
	if err != nil {
		return nil, err
	}
	return wire.Slurp(resp)
}

// Levels is decoded in another package.
func (t *Tides) Levels(ctx context.Context, port string) ([]float64, error) {
	ctx, cancel := limits.For(ctx)
	defer cancel()
	resp, err := wire.Get(ctx, t.hc, t.base+"/levels/"+port)
	if err != nil {
		return nil, err
	}
	return wire.Decode[[]float64](resp)
}

// Past collects what another package reads.
func (t *Tides) Past(ctx context.Context, port string) ([]string, error) {
	ctx, cancel := limits.Or(ctx, t.limit)
	defer cancel()
	body, err := wire.Open(ctx, t.hc, t.base+"/past/"+port)
	if err != nil {
		return nil, err
	}
	return events.All(body)
}

// Tied ends when the body is closed, by a wrapper of another package.
func (t *Tides) Tied(ctx context.Context, port string) (*http.Response, error) {
	ctx, cancel := limits.For(ctx)
	resp, err := wire.Get(ctx, t.hc, t.base+"/tables/"+port)
	if err != nil {
		cancel()
		return nil, err
	}
	return wire.Tie(resp, cancel), nil
}

// Slot gives back a place, and ends no context.
func (t *Tides) Slot(ctx context.Context, port string) (*http.Response, error) {
	done := limits.Slot(t.slots)
	defer done()
	return wire.Get(ctx, t.hc, t.base+"/tables/"+port)
}

// Other limits something else.
func (t *Tides) Other(ctx context.Context, port string, allow func(context.Context) error) (*http.Response, error) {
	s := limits.Enter(ctx, time.Second)
	defer s.Leave()
	if err := allow(s.Context()); err != nil {
		return nil, err
	}
	return wire.Get(ctx, t.hc, t.base+"/tables/"+port)
}
