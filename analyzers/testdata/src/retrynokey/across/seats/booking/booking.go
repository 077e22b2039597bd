// Package booking holds seats in a theatre.
package booking

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"retrynokey/across/seats/retry"
	"retrynokey/across/seats/verdict"
)

// Hold is a seat that is kept for somebody.
type Hold struct {
	ID   string `json:"id"`
	Seat string `json:"seat"`
}

// Office talks to the theatre.
type Office struct {
	hc   *http.Client
	base string
}

// statusError is an answer that is no success.
type statusError int

func (e statusError) Error() string { return fmt.Sprintf("box office: %d", int(e)) }

// hold is one attempt; what cannot pass is marked.
func (o *Office) hold(ctx context.Context, seat, key string) (Hold, error) {
	var h Hold
	body, err := json.Marshal(map[string]string{"seat": seat})
	if err != nil {
		return h, retry.Stop(err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, o.base+"/holds", bytes.NewReader(body))
	if err != nil {
		return h, retry.Stop(err)
	}
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	resp, err := o.hc.Do(req)
	if err != nil {
		return h, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusCreated {
		if verdict.Transient(resp.StatusCode) {
			return h, statusError(resp.StatusCode)
		}
		return h, retry.Stop(statusError(resp.StatusCode))
	}
	err = json.NewDecoder(resp.Body).Decode(&h)
	return h, err
}

// Reserve holds a seat: a timeout and a 502 are repeated, a 500 is not.
func (o *Office) Reserve(ctx context.Context, seat string) (Hold, error) {
	return retry.Do(ctx, 5, func(ctx context.Context) (Hold, error) {
		return o.hold(ctx, seat, "") // want "POST is sent again after a timeout.*without an idempotency key"
	})
}

// ReserveExplicit writes out the type, and keeps the result in a variable.
func (o *Office) ReserveExplicit(ctx context.Context, seat string) (id string, err error) {
	var got Hold
	got, err = retry.Do[Hold](ctx, 3, func(ctx context.Context) (Hold, error) {
		h, err := o.hold(ctx, seat, "") // want "without an idempotency key"
		if err != nil {
			return Hold{}, fmt.Errorf("seat %s: %w", seat, err)
		}
		return h, nil
	})
	return got.ID, err
}

// ReserveKeyed is silent: the caller brings a key.
func (o *Office) ReserveKeyed(ctx context.Context, seat, order string) (Hold, error) {
	return retry.Do(ctx, 5, func(ctx context.Context) (Hold, error) {
		return o.hold(ctx, seat, "hold-"+order)
	})
}

// ReserveRefused is silent: all but a refusal stops.
func (o *Office) ReserveRefused(ctx context.Context, seat string) (int, error) {
	return retry.Do(ctx, 5, func(ctx context.Context) (int, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, o.base+"/seats/"+seat+"/hold", nil)
		if err != nil {
			return 0, retry.Stop(err)
		}
		resp, err := o.hc.Do(req)
		if err != nil {
			return 0, retry.Stop(err)
		}
		defer resp.Body.Close()
		switch {
		case verdict.Refused(resp.StatusCode):
			return 0, statusError(resp.StatusCode)
		case resp.StatusCode >= 300:
			return 0, retry.Stop(statusError(resp.StatusCode))
		}
		return resp.StatusCode, nil
	})
}

// send is silent: for a method that writes, every error is made permanent.
func (o *Office) send(ctx context.Context, method, path string) (int, error) {
	return retry.Do(ctx, 5, func(ctx context.Context) (int, error) {
		req, err := http.NewRequestWithContext(ctx, method, o.base+path, nil)
		if err != nil {
			return 0, retry.Stop(err)
		}
		resp, err := o.hc.Do(req)
		if err == nil {
			defer resp.Body.Close()
			if resp.StatusCode < 300 {
				return resp.StatusCode, nil
			}
			err = statusError(resp.StatusCode)
		}
		if !verdict.ReadOnly(method) {
			return 0, retry.Stop(err)
		}
		return 0, err
	})
}

// Release writes through send.
func (o *Office) Release(ctx context.Context, hold string) error {
	_, err := o.send(ctx, http.MethodPost, "/holds/"+hold+"/release")
	return err
}

// Plan reads through it.
func (o *Office) Plan(ctx context.Context) error {
	_, err := o.send(ctx, http.MethodGet, "/plan")
	return err
}
