// Package othercontext limits one thing and returns the answer to another:
// what is cancelled is seldom what the request carries.
package othercontext

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"time"
)

// Tokens hands out tokens.
type Tokens interface {
	Token(ctx context.Context) (string, error)
}

// Limiter lets some through.
type Limiter interface {
	Wait(ctx context.Context) error
}

// Client follows parcels.
type Client struct {
	hc      *http.Client
	base    string
	tokens  Tokens
	limiter Limiter
	names   *net.Resolver
}

func (c *Client) request(ctx context.Context, number string) (*http.Request, error) {
	return http.NewRequestWithContext(ctx, http.MethodGet, c.base+"/parcels/"+url.PathEscape(number), nil)
}

// Token limits the token, and the request has the caller's context.
func (c *Client) Token(ctx context.Context, number string) (*http.Response, error) {
	tctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	tok, err := c.tokens.Token(tctx)
	if err != nil {
		return nil, err
	}
	req, err := c.request(ctx, number)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+tok)
	return c.hc.Do(req)
}

// TokenAndRequest looks like it, and the request has the limited one.
func (c *Client) TokenAndRequest(ctx context.Context, number string) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel() // want "before the body is read"
	tok, err := c.tokens.Token(ctx)
	if err != nil {
		return nil, err
	}
	req, err := c.request(ctx, number)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+tok)
	return c.hc.Do(req)
}

// Replaced builds the request under the caller's context and gives it another.
func (c *Client) Replaced(ctx context.Context, number string) (*http.Response, error) {
	req, err := c.request(ctx, number)
	if err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel() // want "before the body is read"
	return c.hc.Do(req.WithContext(limited))
}

type parcelKey struct{}

// Below gives the request a context below the limited one.
func (c *Client) Below(ctx context.Context, number string) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel() // want "before the body is read"
	named := context.WithValue(ctx, parcelKey{}, number)
	req, err := c.request(named, number)
	if err != nil {
		return nil, err
	}
	return c.hc.Do(req)
}

// From here on: nothing to report.

// Turn limits how long it waits for its turn.
func (c *Client) Turn(ctx context.Context, number string) (*http.Response, error) {
	wait, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if err := c.limiter.Wait(wait); err != nil {
		return nil, err
	}
	req, err := c.request(ctx, number)
	if err != nil {
		return nil, err
	}
	return c.hc.Do(req)
}

// Shadowed has the limited one under the same name, in a block of its own.
func (c *Client) Shadowed(ctx context.Context, number string) (*http.Response, error) {
	{
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		if _, err := c.names.LookupHost(ctx, "parcels.test"); err != nil {
			return nil, err
		}
	}
	req, err := c.request(ctx, number)
	if err != nil {
		return nil, err
	}
	return c.hc.Do(req)
}

// TooLate derives after the request was built: the limit is not the request's.
func (c *Client) TooLate(ctx context.Context, number string) (*http.Response, error) {
	req, err := c.request(ctx, number)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if err := c.limiter.Wait(ctx); err != nil {
		return nil, err
	}
	return c.hc.Do(req)
}

// Detached takes the cancellation off.
func (c *Client) Detached(ctx context.Context, number string) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	tok, err := c.tokens.Token(ctx)
	if err != nil {
		return nil, err
	}
	req, err := c.request(context.WithoutCancel(ctx), number)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+tok)
	return c.hc.Do(req)
}

// None has no context at all.
func (c *Client) None(ctx context.Context, number string) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if err := c.limiter.Wait(ctx); err != nil {
		return nil, err
	}
	return c.hc.Get(c.base + "/parcels/" + url.PathEscape(number))
}

// Child ends a child of the context that the request has.
func (c *Client) Child(ctx context.Context, number string) (*http.Response, error) {
	child, cancel := context.WithCancel(ctx)
	defer cancel()
	req, err := c.request(ctx, number)
	if err != nil {
		return nil, err
	}
	go c.watch(child, number)
	return c.hc.Do(req)
}

func (c *Client) watch(ctx context.Context, number string) {
	<-ctx.Done()
	println("no longer waiting for", number)
}

var errNowhere = errors.New("parcels: nowhere")

// FirstAlive limits each probe, and what it returns is not a probe's.
func (c *Client) FirstAlive(ctx context.Context, hosts []string, number string) (*http.Response, error) {
	for _, h := range hosts {
		if !c.alive(ctx, h) {
			continue
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, h+"/parcels/"+number, nil)
		if err != nil {
			return nil, err
		}
		return c.hc.Do(req)
	}
	return nil, errNowhere
}

func (c *Client) alive(ctx context.Context, host string) bool {
	ctx, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, host+"/alive", nil)
	if err != nil {
		return false
	}
	resp, err := c.hc.Do(req)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	return resp.StatusCode == http.StatusNoContent
}
