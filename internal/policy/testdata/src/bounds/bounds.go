// Package bounds sends requests that differ in what ends them.
package bounds

import (
	"context"
	"net/http"
	"time"

	"boundsdep"
)

func short(url string) { http.Get(url) } // want `no http.Client.Timeout; no deadline of the context; no Transport.ResponseHeaderTimeout`

func global(ctx context.Context, url string) {
	req, _ := http.NewRequestWithContext(ctx, "GET", url, nil)
	http.DefaultClient.Do(req) // want `no http.Client.Timeout; deadline of the context unknown: the caller gives the context`
}

func literal(url string) {
	c := &http.Client{Timeout: time.Minute, Transport: &http.Transport{ResponseHeaderTimeout: time.Second}}
	c.Get(url) // want `http.Client.Timeout of 1m0s; no deadline of the context; Transport.ResponseHeaderTimeout of 1s`
}

func zero(url string) {
	c := http.Client{}
	c.Get(url) // want `no http.Client.Timeout; no deadline of the context; no Transport`
}

func setLater(url string, d time.Duration) {
	c := &http.Client{}
	c.Timeout = d
	c.Get(url) // want `http.Client.Timeout unknown: it is set from a parameter; no deadline`
}

func given(c *http.Client, url string) {
	c.Get(url) // want `http.Client.Timeout unknown: the client is a parameter`
}

func copied(url string) {
	base := http.Client{Timeout: time.Hour}
	c := base
	c.Get(url) // want `http.Client.Timeout of 1h0m0s`
}

func imported(url string) {
	boundsdep.New().HTTPClient().Get(url) // want `http.Client.Timeout of 20s`
}

type doer interface {
	Do(*http.Request) (*http.Response, error)
}

func byInterface(d doer, req *http.Request) {
	d.Do(req) // want `http.Client.Timeout unknown: what sends is not an http.Client; deadline of the context unknown: the request comes`
}

// api keeps a client whose timeout the constructor chose.
type api struct{ hc *http.Client }

func newAPI() *api { return &api{hc: &http.Client{Timeout: 10 * time.Second}} }

func (a *api) get(url string) {
	a.hc.Get(url) // want `http.Client.Timeout of 10s;`
}

type settings struct{ timeout time.Duration }

type option func(*settings)

type tuned struct{ hc *http.Client }

func newTuned(opts ...option) *tuned {
	s := &settings{timeout: 30 * time.Second}
	for _, o := range opts {
		o(s)
	}
	return &tuned{hc: &http.Client{Timeout: s.timeout}}
}

func (t *tuned) get(url string) {
	t.hc.Get(url) // want `http.Client.Timeout of 30s by default`
}

var shared = &http.Client{Timeout: 5 * time.Second}

func useShared(url string) {
	shared.Get(url) // want `http.Client.Timeout of 5s`
}

func deadline(ctx context.Context, url string) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	req, _ := http.NewRequestWithContext(context.WithValue(ctx, "k", 1), "GET", url, nil)
	shared.Do(req) // want `context.WithTimeout of 3s`
}

func sooner(url string) {
	outer, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	inner, stop := context.WithTimeout(outer, time.Minute)
	defer stop()
	req, _ := http.NewRequestWithContext(inner, "GET", url, nil)
	shared.Do(req) // want `context.WithTimeout of 3s`
}

func onlyCancelled(url string) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	req, _ := http.NewRequest("GET", url, nil)
	shared.Do(req.WithContext(ctx)) // want `http.Client.Timeout of 5s; no deadline of the context`
}

func detached(ctx context.Context, url string) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	req, _ := http.NewRequestWithContext(context.WithoutCancel(ctx), "GET", url, nil)
	shared.Do(req) // want `http.Client.Timeout of 5s; no deadline of the context`
}

// derivedAfter makes a context after the request, which does not carry it.
func derivedAfter(ctx context.Context, url string) {
	req, _ := http.NewRequestWithContext(context.Background(), "GET", url, nil)
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	shared.Do(req) // want `http.Client.Timeout of 5s; no deadline of the context`
	<-ctx.Done()
}

func helper(ctx context.Context, url string) { send(bounded(ctx, url)) }

func bounded(ctx context.Context, url string) *http.Request {
	ctx, _ = context.WithTimeout(ctx, 7*time.Second)
	req, _ := http.NewRequestWithContext(ctx, "GET", url, nil)
	return req
}

func send(req *http.Request) {
	shared.Do(req) // want `context.WithTimeout of 7s` `deadline of the context unknown: the request comes from somewhere else`
}
