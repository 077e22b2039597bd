// Package hedged sends through clients that do not wait for a failure.
package hedged

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/cristalhq/hedgedhttp"
)

// Hive keeps a hedged client, and one that is not.
type Hive struct {
	fast  *http.Client
	plain *http.Client
	base  string
}

func New(base string) (*Hive, error) {
	fast, err := hedgedhttp.NewClient(50*time.Millisecond, 3, &http.Client{Timeout: time.Minute})
	if err != nil {
		return nil, err
	}
	return &Hive{fast: fast, plain: http.DefaultClient, base: base}, nil
}

func (h *Hive) Count(ctx context.Context) (*http.Response, error) {
	return h.do(ctx, h.fast, http.MethodGet, "/bees", "")
}

func (h *Hive) Add(ctx context.Context, bees string) (*http.Response, error) {
	return h.fast.Post(h.base+"/bees", "text/plain", strings.NewReader(bees)) // want `POST goes through a client that hedges \(hedgedhttp\): as soon as it is slow, up to 3 of them are under way at once, and each is carried out; hedge only what reads, and send this through a plain client`
}

func (h *Hive) Move(ctx context.Context, to string) (*http.Response, error) {
	return h.do(ctx, h.fast, http.MethodPost, "/moves", to) // want `POST goes through a client that hedges`
}

func (h *Hive) MovePlainly(ctx context.Context, to string) (*http.Response, error) {
	return h.do(ctx, h.plain, http.MethodPost, "/moves", to)
}

func (h *Hive) do(ctx context.Context, c *http.Client, method, path, body string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, h.base+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	return c.Do(req)
}

// Silent: the hive knows a swarm again by its key.
func (h *Hive) Swarm(ctx context.Context, id string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.base+"/swarms", nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Idempotency-Key", id)
	return h.fast.Do(req)
}

// Silent: it reads.
func (h *Hive) SearchHoney(ctx context.Context, q string) (*http.Response, error) {
	return h.fast.Post(h.base+"/_search", "application/json", strings.NewReader(q))
}

// Silent: one at a time is no hedge.
func once(url string) (*http.Response, error) {
	c, err := hedgedhttp.NewClient(time.Second, 0, nil)
	if err != nil {
		return nil, err
	}
	return c.Post(url, "text/plain", nil)
}

type readsOnly struct{ hedged, plain http.RoundTripper }

func (t readsOnly) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return t.hedged.RoundTrip(r)
	}
	return t.plain.RoundTrip(r)
}

type everything struct{ next http.RoundTripper }

func (t everything) RoundTrip(r *http.Request) (*http.Response, error) {
	return t.next.RoundTrip(r)
}

func transports(url string) error {
	rt, err := hedgedhttp.NewRoundTripper(time.Second, 2, http.DefaultTransport)
	if err != nil {
		return err
	}
	gated := &http.Client{Transport: readsOnly{rt, http.DefaultTransport}}
	if _, err := gated.Post(url, "text/plain", nil); err != nil {
		return err
	}
	open := &http.Client{Transport: everything{rt}}
	_, err = open.Post(url, "text/plain", nil) // want `POST goes through a client that hedges \(hedgedhttp\)`
	return err
}

// Silent: who calls it decides the method.
func (h *Hive) Raw(req *http.Request) (*http.Response, error) { return h.fast.Do(req) }
