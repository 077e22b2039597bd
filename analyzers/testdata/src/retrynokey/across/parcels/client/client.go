// Package client sends parcels: the requests are put together in one package,
// and repeated by another.
package client

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"time"

	"retrynokey/across/parcels/again"
	"retrynokey/across/parcels/forms"
)

const attempts = 4

// Client talks to the parcel service.
type Client struct {
	hc   *http.Client
	base string
}

// New returns a Client of the service at base.
func New(base string) *Client {
	return &Client{hc: &http.Client{Timeout: 15 * time.Second}, base: base}
}

// outcome turns an answer into an error, and closes it.
func outcome(resp *http.Response, err error) error {
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	io.Copy(io.Discard, resp.Body)
	if resp.StatusCode >= 300 {
		return fmt.Errorf("parcel service: %s", resp.Status)
	}
	return nil
}

// Book books a parcel: a new request per attempt, and nothing says that it is the same.
func (c *Client) Book(ctx context.Context, p forms.Parcel) error {
	return again.Run(ctx, attempts, func(ctx context.Context) error {
		req, err := forms.Booking(ctx, c.base, p)
		if err != nil {
			return err
		}
		return outcome(c.hc.Do(req)) // want "POST is sent again after .* \\(up to 4 attempts\\) without an idempotency key"
	})
}

// BookByMethod hands over the method that books.
func (c *Client) BookByMethod(ctx context.Context, p forms.Parcel) error {
	try := &booking{c, p}
	return again.Run(ctx, attempts, try.once) // want "without an idempotency key"
}

type booking struct {
	c *Client
	p forms.Parcel
}

func (b *booking) once(ctx context.Context) error {
	req, err := forms.Booking(ctx, b.c.base, b.p)
	if err != nil {
		return err
	}
	return outcome(b.c.hc.Do(req))
}

// BookKeyed is silent: the key is made here, and set in the other package.
func (c *Client) BookKeyed(ctx context.Context, p forms.Parcel) error {
	key := rand.Text()
	return again.Run(ctx, attempts, func(ctx context.Context) error {
		req, err := forms.KeyedBooking(ctx, c.base, key, p)
		if err != nil {
			return err
		}
		return outcome(c.hc.Do(req))
	})
}

// BookOnce is silent: there is one attempt.
func (c *Client) BookOnce(ctx context.Context, p forms.Parcel) error {
	return again.Run(ctx, 1, func(ctx context.Context) error {
		req, err := forms.Booking(ctx, c.base, p)
		if err != nil {
			return err
		}
		return outcome(c.hc.Do(req))
	})
}

// Track is silent: it reads.
func (c *Client) Track(ctx context.Context, number string) error {
	return again.Run(ctx, attempts, func(ctx context.Context) error {
		req, err := forms.Whereabouts(ctx, c.base, number)
		if err != nil {
			return err
		}
		return outcome(c.hc.Do(req))
	})
}

// Send sends what it is given, once; package desk repeats it.
func (c *Client) Send(ctx context.Context, method, path string, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	return outcome(c.hc.Do(req))
}

// SendKeyed is Send under a key of the caller's.
func (c *Client) SendKeyed(ctx context.Context, key, method, path string, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("X-Idempotency-Key", key)
	return outcome(c.hc.Do(req))
}
