// Package conditional translates texts. A limit is derived only when one is
// configured, so that tests without one see nothing.
package conditional

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// Options of one call.
type Options struct {
	Timeout *time.Duration
	Stream  bool
	Raw     bool
}

// Client talks to the service.
type Client struct {
	hc      *http.Client
	base    string
	timeout time.Duration
}

func (c *Client) send(ctx context.Context, path string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	return c.hc.Do(req)
}

// Configured derives one if the client has a timeout.
func (c *Client) Configured(ctx context.Context, text []byte) (*http.Response, error) {
	if c.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.timeout)
		defer cancel() // want "before the body is read"
	}
	return c.send(ctx, "/translate", text)
}

// PerCall derives one if the call has a timeout; the variable is there before.
func (c *Client) PerCall(ctx context.Context, text []byte, o Options) (io.ReadCloser, error) {
	cancel := func() {}
	if o.Timeout != nil {
		ctx, cancel = context.WithTimeout(ctx, *o.Timeout)
	}
	defer cancel() // want "before the body is read"
	resp, err := c.send(ctx, "/translate", text)
	if err != nil {
		return nil, err
	}
	return resp.Body, nil
}

// Defaulted derives one if the caller has no deadline.
func (c *Client) Defaulted(ctx context.Context, text []byte) (*http.Response, error) {
	if _, ok := ctx.Deadline(); !ok {
		limited, cancel := context.WithTimeout(ctx, 2*time.Minute)
		defer cancel() // want "before the body is read"
		ctx = limited
	}
	resp, err := c.send(ctx, "/translate", text)
	if err != nil {
		return nil, fmt.Errorf("translate: %w", err)
	}
	return resp, nil
}

// bind returns a context with the limit of the options, if there is one.
func (o Options) bind(ctx context.Context) (context.Context, context.CancelFunc) {
	if o.Timeout == nil || *o.Timeout <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, *o.Timeout)
}

// Bound derives one in a method of the options.
func (c *Client) Bound(ctx context.Context, text []byte, o Options) (*http.Response, error) {
	ctx, cancel := o.bind(ctx)
	defer cancel() // want "before the body is read"
	return c.send(ctx, "/translate", text)
}

// ByKind has another limit for each kind of text.
func (c *Client) ByKind(ctx context.Context, kind string, text []byte) (*json.Decoder, error) {
	var cancel context.CancelFunc
	switch kind {
	case "word":
		ctx, cancel = context.WithTimeout(ctx, time.Second)
	case "page":
		ctx, cancel = context.WithTimeout(ctx, time.Minute)
	default:
		ctx, cancel = context.WithCancel(ctx)
	}
	defer cancel() // want "before the body is read"
	resp, err := c.send(ctx, "/"+kind, text)
	if err != nil {
		return nil, err
	}
	return json.NewDecoder(resp.Body), nil
}

// ReadIfAsked reads only where the caller wants a text.
func (c *Client) ReadIfAsked(ctx context.Context, text []byte, o Options) (*http.Response, string, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel() // want "before the body is read"
	resp, err := c.send(ctx, "/translate", text)
	if err != nil {
		return nil, "", err
	}
	if o.Raw {
		return resp, "", nil
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return nil, string(b), err
}

// From here on: nothing to report.

// Text has a limit if one is configured, and reads under it.
func (c *Client) Text(ctx context.Context, text []byte) (string, error) {
	if c.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.timeout)
		defer cancel()
	}
	resp, err := c.send(ctx, "/translate", text)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return string(b), err
}

// Streamed returns before the limit is derived.
func (c *Client) Streamed(ctx context.Context, text []byte, o Options) (*http.Response, error) {
	if o.Stream {
		return c.send(ctx, "/translate/stream", text)
	}
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	resp, err := c.send(ctx, "/translate", text)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(b))
	return resp, nil
}

// Either asks twice for the same flag: what is streamed has no limit.
func (c *Client) Either(ctx context.Context, text []byte, stream bool) (io.Reader, error) {
	if !stream {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.timeout)
		defer cancel()
	}
	resp, err := c.send(ctx, "/translate", text)
	if err != nil {
		return nil, err
	}
	if stream {
		return resp.Body, nil
	}
	defer resp.Body.Close()
	var buf bytes.Buffer
	if _, err := io.Copy(&buf, resp.Body); err != nil {
		return nil, err
	}
	return &buf, nil
}

// OnFailure ends the context where nothing is returned.
func (c *Client) OnFailure(ctx context.Context, text []byte) (_ *http.Response, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer func() {
		if err != nil {
			cancel()
		}
	}()
	resp, err := c.send(ctx, "/translate", text)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		resp.Body.Close()
		return nil, fmt.Errorf("translate: %s", resp.Status)
	}
	return resp, nil
}
