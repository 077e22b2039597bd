// Package reader has shapes that look like layers around each other: some are.
package reader

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"sync/atomic"

	"github.com/hardy/persist"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/stripe/stripe-go/v85"
)

var errBusy = errors.New("busy")

// Silent: the outer loop goes round after a 401 only, which the client beneath
// hands on at once, and leaves after every error.
func signedIn(url, token string, renew func() string) (*http.Response, error) {
	c := persist.New()
	for n := 0; ; n++ {
		req, err := http.NewRequest(http.MethodGet, url, nil)
		if err != nil {
			return nil, err
		}
		req.Header.Set("Authorization", token)
		resp, err := c.Do(req)
		if err != nil {
			return nil, err
		}
		if resp.StatusCode == http.StatusUnauthorized && n == 0 {
			resp.Body.Close()
			token = renew()
			continue
		}
		return resp, nil
	}
}

// Silent: after too large an order, each half is sent by itself.
func halves(url string, order []string) error {
	c := persist.New().Standard()
	resp, err := c.Get(url + "?first=" + order[0])
	if err != nil {
		return err
	}
	resp.Body.Close()
	if resp.StatusCode == http.StatusRequestEntityTooLarge && len(order) > 1 {
		if err := halves(url, order[:len(order)/2]); err != nil {
			return err
		}
		return halves(url, order[len(order)/2:])
	}
	return nil
}

type pool interface{ Next() string }

// Silent: the pool gives another host each time.
func fromPool(p pool, path string) (resp *http.Response, err error) {
	c := persist.New().Standard()
	for range 3 {
		if resp, err = c.Get(p.Next() + path); err == nil {
			return resp, nil
		}
	}
	return nil, err
}

// Silent: another of some hosts each time, by lot and in turn.
func byLot(hosts []string, path string) (resp *http.Response, err error) {
	c := persist.New().Standard()
	for range 3 {
		if resp, err = c.Get(hosts[rand.IntN(len(hosts))] + path); err == nil {
			return resp, nil
		}
	}
	return nil, err
}

type ring struct {
	hosts []string
	next  atomic.Uint32
}

func (r *ring) host() string { return r.hosts[int(r.next.Add(1))%len(r.hosts)] }

func (r *ring) get(path string) (resp *http.Response, err error) {
	c := persist.New().Standard()
	for range 3 {
		if resp, err = c.Get(r.host() + path); err == nil {
			return resp, nil
		}
	}
	return nil, err
}

func inner(url string) error {
	for range 2 {
		resp, err := http.Get(url)
		if err == nil && resp.StatusCode < 500 {
			return resp.Body.Close()
		}
		if err == nil {
			resp.Body.Close()
		}
	}
	return errBusy
}

// Up has as many attempts as it is told.
func up(url string, n int) error {
	err := inner(url) // want `up to 3 × 2 = 6 requests for one call: up tries again what inner has already tried again`
	if err != nil && n < 3 {
		return up(url, n+1)
	}
	return err
}

func start(url string) error { return up(url, 1) }

// One library's client, under another of its own.
func twice(url string) (*http.Response, error) {
	under := persist.New()
	under.Max = 1
	c := persist.New()
	c.Max = 3
	c.Plain = under.Standard()
	return c.Standard().Get(url) // want `up to 4 × 2 = 8 requests for one call`
}

// Desk is a type that others can name; its clients are its own.
type Desk struct {
	ai    openai.Client
	later *openai.Client
	pay   *stripe.Client
}

// NewDesk makes one.
func NewDesk(key string) *Desk {
	c := openai.NewClient(option.WithMaxRetries(1))
	return &Desk{ai: openai.NewClient(), later: &c, pay: stripe.NewClient(key)}
}

// Ask has three attempts around three.
func (d *Desk) Ask(ctx context.Context) (err error) {
	for range 3 {
		if _, err = d.ai.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{}); err == nil { // want `up to 3 × 3 = 9 requests for one call: Desk.Ask tries again what openai-go \(3 attempts\)`
			return nil
		}
	}
	return err
}

// AskLater has three around two.
func (d *Desk) AskLater(ctx context.Context) (err error) {
	for range 3 {
		if _, err = d.later.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{}); err == nil { // want `up to 3 × 2 = 6 requests`
			return nil
		}
	}
	return err
}

// Charge has two around three, and writes.
func (d *Desk) Charge(ctx context.Context) (err error) {
	for range 2 {
		if _, err = d.pay.V1Charges.Create(ctx, &stripe.ChargeParams{}); err == nil { // want `up to 2 × 3 = 6 requests for one call: Desk.Charge tries again what stripe-go \(3 attempts\) has already tried again, after a timeout or a connection reset`
			return nil
		}
	}
	return err
}

var shared = openai.NewClient()

// AskShared calls a client that is kept in a variable.
func AskShared(ctx context.Context) (err error) {
	for range 2 {
		if _, err = shared.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{}); err == nil { // want `up to 2 × 3 = 6 requests`
			return nil
		}
	}
	return err
}

func use(p pool) {
	_, _ = fromPool(p, "/")
	_, _ = signedIn("u", "t", func() string { return "" })
	_, _ = twice("u")
	_, _ = byLot(nil, "/")
	_, _ = new(ring).get("/")
	_, _ = halves("u", nil), start("u")
}
