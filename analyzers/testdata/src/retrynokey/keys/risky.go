package keys

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
)

// RequestID: an id for logs is no key.
func (o *Office) RequestID(id string, rent []byte) error {
	for range 3 {
		req, err := http.NewRequest(http.MethodPost, o.base+"/rents", bytes.NewReader(rent))
		if err != nil {
			return err
		}
		req.Header.Set("X-Request-Id", id)
		resp, err := o.hc.Do(req) // want "POST"
		if err == nil {
			drop(resp)
			return nil
		}
	}
	return errUnpaid
}

// Traceparent: nor is a trace id.
func (o *Office) Traceparent(trace string, rent []byte) error {
	for range 3 {
		req, err := http.NewRequest(http.MethodPost, o.base+"/rents", bytes.NewReader(rent))
		if err != nil {
			return err
		}
		req.Header.Set("Traceparent", trace)
		req.Header.Set("X-Correlation-Id", trace)
		resp, err := o.hc.Do(req) // want "POST"
		if err == nil {
			drop(resp)
			return nil
		}
	}
	return errUnpaid
}

// TraceHelper: the helper that sets no key.
func (o *Office) TraceHelper(rent []byte) error {
	id := fresh()
	for range 3 {
		req, err := http.NewRequest(http.MethodPost, o.base+"/rents", bytes.NewReader(rent))
		if err != nil {
			return err
		}
		traced(req, id)
		resp, err := o.hc.Do(req) // want "POST"
		if err == nil {
			drop(resp)
			return nil
		}
	}
	return errUnpaid
}

// OtherRequest: the key goes on the request that is not repeated.
func (o *Office) OtherRequest(key string, rent []byte) error {
	hold, err := http.NewRequest(http.MethodPost, o.base+"/holds", nil)
	if err != nil {
		return err
	}
	hold.Header.Set(idemHeader, key)
	if resp, err := o.hc.Do(hold); err != nil {
		return err
	} else {
		drop(resp)
	}
	for range 3 {
		req, err := http.NewRequest(http.MethodPost, o.base+"/rents", bytes.NewReader(rent))
		if err != nil {
			return err
		}
		resp, err := o.hc.Do(req) // want "POST"
		if err == nil {
			drop(resp)
			return nil
		}
	}
	return errUnpaid
}

// NilEntry: tells net/http that the request may be replayed, and sends nothing.
func (o *Office) NilEntry(rent []byte) error {
	for range 3 {
		req, err := http.NewRequest(http.MethodPost, o.base+"/rents", bytes.NewReader(rent))
		if err != nil {
			return err
		}
		req.Header["Idempotency-Key"] = nil
		resp, err := o.hc.Do(req) // want "POST"
		if err == nil {
			drop(resp)
			return nil
		}
	}
	return errUnpaid
}

// Deleted: set, and taken away again.
func (o *Office) Deleted(key string, rent []byte) error {
	for range 3 {
		req, err := http.NewRequest(http.MethodPost, o.base+"/rents", bytes.NewReader(rent))
		if err != nil {
			return err
		}
		stamp(req, key)
		req.Header.Del("Idempotency-Key")
		resp, err := o.hc.Do(req) // want "POST"
		if err == nil {
			drop(resp)
			return nil
		}
	}
	return errUnpaid
}

// EmptyForBuilder: the builder could set a key, and is given none.
func (o *Office) EmptyForBuilder(ctx context.Context, rent []byte) error {
	for range 3 {
		req, err := o.build(ctx, "", rent)
		if err != nil {
			return err
		}
		resp, err := o.hc.Do(req) // want "POST"
		if err == nil {
			drop(resp)
			return nil
		}
	}
	return errUnpaid
}

// Received: the key of the answer is read, none is sent.
func (o *Office) Received(rent []byte) (string, error) {
	for range 3 {
		req, err := http.NewRequest(http.MethodPost, o.base+"/rents", bytes.NewReader(rent))
		if err != nil {
			return "", err
		}
		resp, err := o.hc.Do(req) // want "POST"
		if err == nil {
			drop(resp)
			resp.Header.Set(idemHeader, "seen")
			return resp.Header.Get(idemHeader), nil
		}
	}
	return "", errUnpaid
}

// Kept: a header is filled that no request gets.
func (o *Office) Kept(key string, rent []byte) error {
	h := http.Header{}
	h.Set(idemHeader, key)
	for range 3 {
		req, err := http.NewRequest(http.MethodPost, o.base+"/rents", bytes.NewReader(rent))
		if err != nil {
			return err
		}
		resp, err := o.hc.Do(req) // want "POST"
		if err == nil {
			drop(resp)
			return nil
		}
	}
	return errUnpaid
}

type hiddenKey struct {
	Flat           int    `json:"flat"`
	IdempotencyKey string `json:"-"`
}

// NotEncoded: the field is filled, and the tag keeps it from the wire.
func (o *Office) NotEncoded(key string) error {
	body, err := json.Marshal(hiddenKey{Flat: 7, IdempotencyKey: key})
	if err != nil {
		return err
	}
	for range 3 {
		resp, err := o.hc.Post(o.base+"/rents", "application/json", bytes.NewReader(body)) // want "POST"
		if err == nil {
			drop(resp)
			return nil
		}
	}
	return errUnpaid
}

type smallKey struct {
	Flat           int
	idempotencyKey string
}

// NotExported: encoding/json passes over a field that is not exported.
func (o *Office) NotExported(key string) error {
	order := smallKey{Flat: 7, idempotencyKey: key}
	body, err := json.Marshal(order)
	if err != nil {
		return err
	}
	for range 3 {
		resp, err := o.hc.Post(o.base+"/rents", "application/json", bytes.NewReader(body)) // want "POST"
		if err == nil {
			drop(resp)
			return nil
		}
	}
	return errUnpaid
}

// NeverFilled: the body has a place for a key, left empty.
func (o *Office) NeverFilled() error {
	body, err := json.Marshal(taggedOrder{Flat: 7})
	if err != nil {
		return err
	}
	for range 3 {
		resp, err := o.hc.Post(o.base+"/rents", "application/json", bytes.NewReader(body)) // want "POST"
		if err == nil {
			drop(resp)
			return nil
		}
	}
	return errUnpaid
}

// PayOptions holds a key.
type PayOptions struct {
	Rent           []byte
	IdempotencyKey string
}

// Forgotten: the caller's key ends in a variable.
func (o *Office) Forgotten(opts PayOptions) error {
	for range 3 {
		req, err := http.NewRequest(http.MethodPost, o.base+"/rents", bytes.NewReader(opts.Rent))
		if err != nil {
			return err
		}
		if opts.IdempotencyKey == "" {
			req.Header.Set("Prefer", "return=minimal")
		}
		resp, err := o.hc.Do(req) // want "POST"
		if err == nil {
			drop(resp)
			return nil
		}
	}
	return errUnpaid
}

// SetTooLate: after the send, on a request that the next round builds anew.
func (o *Office) SetTooLate(key string, rent []byte) error {
	for range 3 {
		req, err := http.NewRequest(http.MethodPost, o.base+"/rents", bytes.NewReader(rent))
		if err != nil {
			return err
		}
		resp, err := o.hc.Do(req) // want "POST"
		req.Header.Set(idemHeader, key)
		if err == nil {
			drop(resp)
			return nil
		}
	}
	return errUnpaid
}
