// Package fields orders disks. The key travels in the body, in a form or in the
// input of a generated client, not in a header.
package fields

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"retryfreshkey/uuid"
)

var errNoDisk = errors.New("no disk")

// Order is a body whose tag names the key.
type Order struct {
	Size int    `json:"size"`
	Ref  string `json:"idempotency_key"`
}

// Request holds an order and what is said about it.
type Request struct {
	Meta struct {
		IdempotencyKey string
		TraceID        string
	}
	Order Order
}

// CreateDiskInput is the input of a generated client.
type CreateDiskInput struct {
	Zone        string
	Size        int
	ClientToken *string
}

// API is a generated client.
type API interface {
	CreateDisk(ctx context.Context, in *CreateDiskInput) (id string, err error)
	Call(ctx context.Context, action string, params map[string]any) (map[string]any, error)
}

// local is kept here: its key is not encoded.
type local struct {
	Size           int    `json:"size"`
	IdempotencyKey string `json:"-"`
}

// Store orders disks.
type Store struct {
	hc   *http.Client
	base string
	api  API
}

func (s *Store) post(ctx context.Context, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.base+"/disks", bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	return check(s.hc.Do(req))
}

func check(resp *http.Response, err error) error {
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	if resp.StatusCode >= 300 {
		return fmt.Errorf("store: %s", resp.Status)
	}
	return nil
}

// persist repeats what failed.
func persist(ctx context.Context, f func() error) (err error) {
	for n := range 5 {
		if err = f(); err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second << n):
		}
	}
	return err
}

// token looks like a name, and is another one at each call.
func token(action string) string {
	return fmt.Sprintf("%s-%d-%s", action, time.Now().Unix(), uuid.NewString())
}

// Literal fills the field where the body is made.
func (s *Store) Literal(ctx context.Context, size int) error {
	for range 3 {
		o := Order{
			Size: size,
			Ref:  uuid.NewString(), // want `made anew`
		}
		if s.post(ctx, o) == nil {
			return nil
		}
	}
	return errNoDisk
}

// LiteralOnce fills it before the loop.
func (s *Store) LiteralOnce(ctx context.Context, size int) error {
	o := Order{Size: size, Ref: uuid.NewString()}
	for range 3 {
		if s.post(ctx, o) == nil {
			return nil
		}
	}
	return errNoDisk
}

// Nested fills a field of a field, by pointer.
func (s *Store) Nested(ctx context.Context, r *Request) error {
	return persist(ctx, func() error {
		r.Meta.IdempotencyKey = uuid.NewString() // want `made anew`
		return s.post(ctx, r)
	})
}

// NestedTrace fills the field beside it.
func (s *Store) NestedTrace(ctx context.Context, r *Request) error {
	r.Meta.IdempotencyKey = uuid.NewString()
	return persist(ctx, func() error {
		r.Meta.TraceID = uuid.NewString()
		return s.post(ctx, r)
	})
}

// NestedIfEmpty fills it once: the request outlives the attempt.
func (s *Store) NestedIfEmpty(ctx context.Context, r *Request) error {
	return persist(ctx, func() error {
		if r.Meta.IdempotencyKey == "" {
			r.Meta.IdempotencyKey = uuid.NewString()
		}
		return s.post(ctx, r)
	})
}

// Map writes over the token that the map has.
func (s *Store) Map(ctx context.Context, zone string) error {
	params := map[string]any{"Zone": zone, "idempotency_key": token("CreateDisk")}
	return persist(ctx, func() error {
		params["idempotency_key"] = token("CreateDisk") // want `made anew`
		return s.post(ctx, params)
	})
}

// MapTrace writes over another entry.
func (s *Store) MapTrace(ctx context.Context, zone string) error {
	params := map[string]any{"Zone": zone, "idempotency_key": token("CreateDisk")}
	return persist(ctx, func() error {
		params["TraceId"] = uuid.NewString()
		params["SentAt"] = time.Now().Unix()
		return s.post(ctx, params)
	})
}

// Form sends it as a value of a form.
func (s *Store) Form(ctx context.Context, zone string) error {
	return persist(ctx, func() error {
		form := url.Values{"zone": {zone}}
		form.Set("client_token", uuid.NewString()) // want `made anew`
		return check(s.hc.PostForm(s.base+"/disks", form))
	})
}

// FormOnce fills the form before.
func (s *Store) FormOnce(ctx context.Context, zone string) error {
	form := url.Values{"zone": {zone}, "client_token": {uuid.NewString()}}
	return persist(ctx, func() error {
		return check(s.hc.PostForm(s.base+"/disks", form))
	})
}

// Query sends it as a parameter of the URL.
func (s *Store) Query(ctx context.Context, body string) error {
	for range 4 {
		q := url.Values{}
		q.Set("idempotency_key", uuid.NewString()) // want `made anew`
		err := check(s.hc.Post(s.base+"/disks?"+q.Encode(), "application/json", strings.NewReader(body)))
		if err == nil {
			return nil
		}
	}
	return errNoDisk
}

// QueryOnce encodes it once.
func (s *Store) QueryOnce(ctx context.Context, body string) error {
	q := url.Values{}
	q.Set("idempotency_key", uuid.NewString())
	target := s.base + "/disks?" + q.Encode()
	for range 4 {
		if check(s.hc.Post(target, "application/json", strings.NewReader(body))) == nil {
			return nil
		}
	}
	return errNoDisk
}

// Input fills the input of a generated client.
func (s *Store) Input(ctx context.Context, zone string) (id string, err error) {
	err = persist(ctx, func() error {
		t := token("disk") // want `made anew`
		var err error
		id, err = s.api.CreateDisk(ctx, &CreateDiskInput{Zone: zone, Size: 20, ClientToken: &t})
		return err
	})
	return id, err
}

// InputOnce builds the input before.
func (s *Store) InputOnce(ctx context.Context, zone string) (id string, err error) {
	t := token("disk")
	in := &CreateDiskInput{Zone: zone, Size: 20, ClientToken: &t}
	err = persist(ctx, func() error {
		var err error
		id, err = s.api.CreateDisk(ctx, in)
		return err
	})
	return id, err
}

// InputNumbered adds the number of the attempt to a name that is stable.
func (s *Store) InputNumbered(ctx context.Context, run, zone string) (id string, err error) {
	attempt := 0
	err = persist(ctx, func() error {
		attempt++
		t := fmt.Sprintf("%s-%d", run, attempt) // want `made anew`
		var err error
		id, err = s.api.CreateDisk(ctx, &CreateDiskInput{Zone: zone, Size: 20, ClientToken: &t})
		return err
	})
	return id, err
}

// InputPerZone adds the zone: another zone is another disk.
func (s *Store) InputPerZone(ctx context.Context, run string, zones []string) (id string, err error) {
	for _, zone := range zones {
		t := run + "-" + zone
		err = persist(ctx, func() error {
			var err error
			id, err = s.api.CreateDisk(ctx, &CreateDiskInput{Zone: zone, Size: 20, ClientToken: &t})
			return err
		})
		if err == nil {
			return id, nil
		}
	}
	return "", err
}

// Params overwrites the token of a call that goes through an interface.
func (s *Store) Params(ctx context.Context, zone string) (out map[string]any, err error) {
	params := map[string]any{"Zone": zone}
	err = persist(ctx, func() error {
		params["ClientToken"] = token("CreateDisk") // want `made anew`
		var err error
		out, err = s.api.Call(ctx, "CreateDisk", params)
		return err
	})
	return out, err
}

// ParamsOnce puts it in before, and a nonce in each round.
func (s *Store) ParamsOnce(ctx context.Context, zone string) (out map[string]any, err error) {
	params := map[string]any{"Zone": zone, "ClientToken": token("CreateDisk")}
	err = persist(ctx, func() error {
		params["SignatureNonce"] = uuid.NewString()
		params["Timestamp"] = time.Now().UTC().Format(time.RFC3339)
		var err error
		out, err = s.api.Call(ctx, "CreateDisk", params)
		return err
	})
	return out, err
}

// payload builds the body, with a key.
func payload(size int) Order { return Order{Size: size, Ref: "disk-" + uuid.NewString()} }

// Payload asks for the body in every round.
func (s *Store) Payload(ctx context.Context, size int) error {
	return persist(ctx, func() error {
		return s.post(ctx, payload(size)) // want `made anew`
	})
}

// PayloadOnce asks once.
func (s *Store) PayloadOnce(ctx context.Context, size int) error {
	o := payload(size)
	return persist(ctx, func() error { return s.post(ctx, o) })
}

// NotEncoded fills a field that does not reach the wire: no key is sent.
func (s *Store) NotEncoded(ctx context.Context, size int) error {
	return persist(ctx, func() error {
		return s.post(ctx, local{Size: size, IdempotencyKey: uuid.NewString()})
	})
}
