// Package several sends through an interface with more than one implementation:
// what counts is what they have in common.
package several

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/hardy/persist"
)

type sender interface {
	send(ctx context.Context, body string) error
}

// Two ways to send an order, both without a key.
type byMail struct{ client *http.Client }

func (m *byMail) send(ctx context.Context, body string) error {
	return post(ctx, m.client, "https://mail.example/orders", body, "")
}

type byPigeon struct{ client *http.Client }

func (p *byPigeon) send(ctx context.Context, body string) error {
	return post(ctx, p.client, "https://pigeon.example/orders", body, "")
}

// withKey sends the order's number, which is the same for every attempt.
type withKey struct {
	client *http.Client
	number string
}

func (k *withKey) send(ctx context.Context, body string) error {
	return post(ctx, k.client, "https://desk.example/orders", body, k.number)
}

func post(ctx context.Context, c *http.Client, url, body, key string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return err
	}
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	resp, err := c.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// shop orders by mail or by pigeon.
type shop struct{ by sender }

func newShop(far bool) *shop {
	s := &shop{}
	if far {
		s.by = &byPigeon{http.DefaultClient}
	} else {
		s.by = &byMail{http.DefaultClient}
	}
	return s
}

func (s *shop) order(ctx context.Context, body string) (err error) {
	for range 3 {
		if err = s.by.send(ctx, body); err == nil { // want `POST is sent again after a timeout or a connection reset`
			return nil
		}
		time.Sleep(time.Second)
	}
	return err
}

// office orders by mail, or at a desk that knows the order again.
type office struct{ by sender }

func newOffice(near bool) *office {
	o := &office{by: &byMail{http.DefaultClient}}
	if near {
		o.by = &withKey{http.DefaultClient, "7"}
	}
	return o
}

func (o *office) order(ctx context.Context, body string) (err error) {
	for range 3 {
		if err = o.by.send(ctx, body); err == nil {
			return nil
		}
		time.Sleep(time.Second)
	}
	return err
}

// depot has one of two transports under its client, and both try again.
type depot struct{ client *http.Client }

type patient struct{ next http.RoundTripper }

func (p patient) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method != http.MethodGet {
		return p.next.RoundTrip(req)
	}
	return persist.New().Do(req)
}

func openDepot(calm bool) *depot {
	d := &depot{persist.New().Standard()}
	if calm {
		d.client = &http.Client{Transport: patient{http.DefaultTransport}}
	}
	return d
}

// fetch is tried again by both, store by one of them.
func (d *depot) fetch() (*http.Response, error) { return d.client.Get("https://depot.example/stock") }

func (d *depot) store(ctx context.Context, body string) error {
	return post(ctx, d.client, "https://depot.example/stock", body, "")
}

func use(ctx context.Context) {
	_ = newShop(true).order(ctx, "ink")
	_ = newOffice(true).order(ctx, "ink")
	d := openDepot(true)
	_, _ = d.fetch()
	_ = d.store(ctx, "ink")
}
