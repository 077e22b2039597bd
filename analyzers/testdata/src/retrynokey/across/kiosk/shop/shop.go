// Package shop sells through a client of another package, whose constructor
// says how often it tries.
package shop

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"os"
	"strconv"
	"time"

	"retrynokey/across/kiosk/api"
)

// Item is what is sold.
type Item struct {
	SKU   string `json:"sku"`
	Count int    `json:"count"`
}

// Shop tries four times.
type Shop struct{ c *api.Client }

// New opens a Shop.
func New(base string) *Shop {
	return &Shop{c: api.New(base, api.WithRetries(3), api.WithWait(time.Second))}
}

// Order writes.
func (s *Shop) Order(ctx context.Context, it Item) error {
	body, err := json.Marshal(it)
	if err != nil {
		return err
	}
	_, err = s.c.Call(ctx, http.MethodPost, "/orders", body) // want "POST is sent again after .* without an idempotency key"
	return err
}

// OrderOnce is silent: it goes out under a key.
func (s *Shop) OrderOnce(ctx context.Context, it Item) error {
	body, err := json.Marshal(it)
	if err != nil {
		return err
	}
	_, err = s.c.CallOnce(ctx, rand.Text(), http.MethodPost, "/orders", body)
	return err
}

// Stock is silent: it reads.
func (s *Shop) Stock(ctx context.Context, sku string) ([]byte, error) {
	return s.c.Call(ctx, http.MethodGet, "/stock/"+sku, nil)
}

// Direct makes the client where it needs it.
func Direct(ctx context.Context, base string, body []byte) error {
	c := api.New(base, api.WithHTTPClient(http.DefaultClient), api.WithRetries(2))
	_, err := c.Call(ctx, "POST", "/orders", body) // want "without an idempotency key"
	return err
}

// Till never tries again: it says so.
type Till struct{ c *api.Client }

// NewTill opens a Till.
func NewTill(base string) *Till { return &Till{c: api.New(base, api.WithRetries(0))} }

// Sell is silent.
func (t *Till) Sell(ctx context.Context, body []byte) error {
	_, err := t.c.Call(ctx, http.MethodPost, "/sales", body)
	return err
}

// Stand never tries again: it takes what the constructor does by itself.
type Stand struct{ c *api.Client }

// NewStand opens a Stand.
func NewStand(base string) *Stand {
	return &Stand{c: api.New(base, api.WithHTTPClient(&http.Client{Timeout: time.Second}))}
}

// Sell is silent.
func (s *Stand) Sell(ctx context.Context, body []byte) error {
	_, err := s.c.Call(ctx, http.MethodPost, "/sales", body)
	return err
}

// Booth is set up by its environment, with no retries where that says nothing.
type Booth struct{ c *api.Client }

// NewBooth opens a Booth.
func NewBooth(base string) *Booth {
	n := 0
	if s := os.Getenv("BOOTH_RETRIES"); s != "" {
		n, _ = strconv.Atoi(s)
	}
	return &Booth{c: api.New(base, api.WithRetries(n))}
}

// Watch is silent: it reads, whatever the environment says.
func (b *Booth) Watch(ctx context.Context) ([]byte, error) {
	return b.c.Call(ctx, http.MethodGet, "/queue", nil)
}
