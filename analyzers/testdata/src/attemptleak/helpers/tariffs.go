// Package helpers reads tariffs. What looks at an answer before the next
// attempt is in functions of its own, and only some of them close it.
package helpers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"time"
)

// Tariffs is a client.
type Tariffs struct {
	hc   *http.Client
	base string
	log  *slog.Logger
}

// send is one exchange.
func (t *Tariffs) send(ctx context.Context, zone string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, t.base+"/zones/"+zone, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	return t.hc.Do(req)
}

// retryable looks at the status.
func retryable(resp *http.Response, err error) bool {
	if err != nil {
		return !errors.Is(err, context.Canceled)
	}
	return resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode >= 500
}

// delay looks at a header.
func delay(resp *http.Response, n int) time.Duration {
	if resp != nil {
		if s, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil {
			return time.Duration(s) * time.Second
		}
	}
	return 200 * time.Millisecond << n
}

// note writes a line about it.
func (t *Tariffs) note(resp *http.Response, err error, n int) {
	if err != nil {
		t.log.Warn("tariffs", "attempt", n, "err", err)
		return
	}
	t.log.Warn("tariffs", "attempt", n, "status", resp.StatusCode, "server", resp.Header.Get("Server"))
}

// toss closes what is not wanted.
func toss(resp *http.Response) {
	if resp == nil || resp.Body == nil {
		return
	}
	_, _ = io.CopyN(io.Discard, resp.Body, 32<<10)
	_ = resp.Body.Close()
}

// failure reads what the server says, and closes.
func failure(resp *http.Response) error {
	defer toss(resp)
	text, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
	return fmt.Errorf("tariffs: %s: %s", resp.Status, text)
}

// Looked passes the answer through three helpers, and none closes it.
func (t *Tariffs) Looked(ctx context.Context, zone string) (*http.Response, error) {
	for n := 0; ; n++ {
		resp, err := t.send(ctx, zone) // want "not closed"
		if n == 3 || !retryable(resp, err) {
			return resp, err
		}
		t.note(resp, err, n)
		select {
		case <-time.After(delay(resp, n)):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// exchange hides the loop from its callers.
func (t *Tariffs) exchange(ctx context.Context, zone string) (resp *http.Response, err error) {
	for n := range 4 {
		resp, err = t.send(ctx, zone) // want "not closed"
		if !retryable(resp, err) {
			break
		}
		time.Sleep(delay(resp, n))
	}
	return resp, err
}

// Zone reads what the last attempt brought.
func (t *Tariffs) Zone(ctx context.Context, zone string, v any) error {
	resp, err := t.exchange(ctx, zone)
	if err != nil {
		return err
	}
	defer toss(resp)
	return json.NewDecoder(resp.Body).Decode(v)
}

// From here on: nothing to report.

// Tossed closes in a helper.
func (t *Tariffs) Tossed(ctx context.Context, zone string) (*http.Response, error) {
	for n := 0; ; n++ {
		resp, err := t.send(ctx, zone)
		if n == 3 || !retryable(resp, err) {
			return resp, err
		}
		wait := delay(resp, n)
		toss(resp)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Told makes an error of it in a helper, which closes.
func (t *Tariffs) Told(ctx context.Context, zone string) (*http.Response, error) {
	var last error
	for n := range 4 {
		resp, err := t.send(ctx, zone)
		switch {
		case err != nil:
			last = err
		case resp.StatusCode >= 500:
			last = failure(resp)
		default:
			return resp, nil
		}
		time.Sleep(delay(nil, n))
	}
	return nil, last
}

// rest waits, and takes the answer with it.
func rest(ctx context.Context, resp *http.Response, n int) error {
	if resp != nil {
		defer resp.Body.Close()
	}
	select {
	case <-time.After(delay(resp, n)):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Rested closes in the helper that waits.
func (t *Tariffs) Rested(ctx context.Context, zone string) (*http.Response, error) {
	for n := 0; ; n++ {
		resp, err := t.send(ctx, zone)
		if n == 3 || !retryable(resp, err) {
			return resp, err
		}
		if err := rest(ctx, resp, n); err != nil {
			return nil, err
		}
	}
}
