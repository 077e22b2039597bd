// Package operations starts machines. A loop that goes on to another operation
// takes another key, and has to; so does one that repeats only what was surely
// not carried out.
package operations

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"time"

	"retryfreshkey/uuid"
)

var (
	errFull = errors.New("zone has no room")
	errBusy = errors.New("too many requests")
	errDown = errors.New("service failed")
)

// Machine is what is started.
type Machine struct {
	Name string `json:"name"`
	Zone string `json:"zone"`
	Size string `json:"size"`
}

// Fleet starts machines.
type Fleet struct {
	hc   *http.Client
	base string
}

// start is one attempt to start a machine.
func (f *Fleet) start(ctx context.Context, key string, m Machine) error {
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, f.base+"/machines", bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", key)
	resp, err := f.hc.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	switch {
	case resp.StatusCode == http.StatusTooManyRequests:
		return errBusy
	case resp.StatusCode == http.StatusConflict:
		return errFull
	case resp.StatusCode >= 500:
		return errDown
	case resp.StatusCode >= 300:
		return fmt.Errorf("fleet: %s", resp.Status)
	}
	return nil
}

// persist repeats after a failure that may pass.
func persist(ctx context.Context, f func() error) error {
	for n := 0; ; n++ {
		err := f()
		if err == nil || n == 3 || errors.Is(err, errFull) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Duration(n+1) * time.Second):
		}
	}
}

// All starts every machine; each is an operation of its own.
func (f *Fleet) All(ctx context.Context, machines []Machine) error {
	for _, m := range machines {
		if err := f.start(ctx, uuid.NewString(), m); err != nil {
			log.Printf("%s: %v", m.Name, err)
		}
	}
	return nil
}

// AllPersistently repeats each of them under one key.
func (f *Fleet) AllPersistently(ctx context.Context, machines []Machine) error {
	for _, m := range machines {
		key := uuid.NewString()
		if err := persist(ctx, func() error { return f.start(ctx, key, m) }); err != nil {
			return fmt.Errorf("%s: %w", m.Name, err)
		}
	}
	return nil
}

// AllAnew repeats each of them under keys of its attempts.
func (f *Fleet) AllAnew(ctx context.Context, machines []Machine) error {
	for _, m := range machines {
		err := persist(ctx, func() error {
			return f.start(ctx, uuid.NewString(), m) // want `made anew`
		})
		if err != nil {
			return fmt.Errorf("%s: %w", m.Name, err)
		}
	}
	return nil
}

// FirstZone goes to the next zone when one has no room: that is another request.
func (f *Fleet) FirstZone(ctx context.Context, m Machine, zones []string) error {
	for _, zone := range zones {
		m.Zone = zone
		key := uuid.NewString()
		err := persist(ctx, func() error { return f.start(ctx, key, m) })
		if !errors.Is(err, errFull) {
			return err
		}
	}
	return errFull
}

// Sizes goes to a smaller machine.
func (f *Fleet) Sizes(ctx context.Context, name string, sizes []string) (err error) {
	for _, size := range sizes {
		if err = f.start(ctx, uuid.NewString(), Machine{Name: name, Size: size}); err == nil {
			return nil
		}
	}
	return err
}

// SameSize does not: the element of the list does not reach the request.
func (f *Fleet) SameSize(ctx context.Context, name string, pauses []time.Duration) (err error) {
	for _, pause := range pauses {
		if err = f.start(ctx, uuid.NewString(), Machine{Name: name, Size: "small"}); err == nil { // want `made anew`
			return nil
		}
		time.Sleep(pause)
	}
	return err
}

// Throttled repeats only what was turned away before it began.
func (f *Fleet) Throttled(ctx context.Context, m Machine) error {
	for n := 0; ; n++ {
		err := f.start(ctx, uuid.NewString(), m)
		if !errors.Is(err, errBusy) || n == 5 {
			return err
		}
		time.Sleep(time.Duration(n+1) * time.Second)
	}
}

// ThrottledOrDown repeats what the service failed to finish, too.
func (f *Fleet) ThrottledOrDown(ctx context.Context, m Machine) error {
	for n := 0; ; n++ {
		err := f.start(ctx, uuid.NewString(), m) // want `made anew`
		if !errors.Is(err, errBusy) && !errors.Is(err, errDown) || n == 5 {
			return err
		}
		time.Sleep(time.Duration(n+1) * time.Second)
	}
}

// notDialled says that there was no connection, so nothing was sent.
func notDialled(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// Undialled repeats only what never left.
func (f *Fleet) Undialled(ctx context.Context, m Machine) error {
	for n := 0; ; n++ {
		err := f.start(ctx, uuid.NewString(), m)
		if err == nil || n == 2 || !notDialled(err) {
			return err
		}
	}
}

// Worker starts what comes out of a channel, for ever.
func (f *Fleet) Worker(ctx context.Context, jobs <-chan Machine) {
	for m := range jobs {
		if err := f.start(ctx, uuid.NewString(), m); err != nil {
			log.Printf("%s: %v", m.Name, err)
		}
	}
}

// Heartbeat reports every minute, after success as well: each is another one.
func (f *Fleet) Heartbeat(ctx context.Context) {
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := f.start(ctx, uuid.NewString(), Machine{Name: "probe", Size: "tiny"}); err != nil {
				log.Println("probe:", err)
			}
		}
	}
}
