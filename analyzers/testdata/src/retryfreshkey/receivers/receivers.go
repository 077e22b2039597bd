// Package receivers opens lockers. The key is a field of the receiver, of what
// it embeds, or comes through an interface.
package receivers

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"time"

	"retryfreshkey/uuid"
)

var errShut = errors.New("locker stays shut")

// base is what all services of the station share.
type base struct {
	hc  *http.Client
	url string
}

func (b base) post(ctx context.Context, path, key string, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, b.url+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Idempotency-Key", key)
	resp, err := b.hc.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		return errShut
	}
	return nil
}

// postNew makes the key itself.
func (b *base) postNew(ctx context.Context, path string, body []byte) error {
	return b.post(ctx, path, uuid.NewString(), body)
}

// Station has lockers.
type Station struct {
	*base
	keys Keys
}

// Keys is where keys come from; who calls knows which kind.
type Keys interface {
	Next() string
}

// Opening is one operation, with a key of its own.
type Opening struct {
	base
	Locker string
	key    string
}

// NewOpening gives the operation its key.
func NewOpening(hc *http.Client, url, locker string) *Opening {
	return &Opening{base: base{hc: hc, url: url}, Locker: locker, key: uuid.NewString()}
}

// Do repeats under the key of the operation.
func (o *Opening) Do(ctx context.Context) (err error) {
	for range 3 {
		if err = o.post(ctx, "/lockers/"+o.Locker, o.key, nil); err == nil {
			return nil
		}
	}
	return err
}

// Redo gives the operation another key in each round.
func (o *Opening) Redo(ctx context.Context) (err error) {
	for range 3 {
		o.key = uuid.NewString() // want `made anew`
		if err = o.post(ctx, "/lockers/"+o.Locker, o.key, nil); err == nil {
			return nil
		}
	}
	return err
}

// renew gives the operation another key.
func (o *Opening) renew() { o.key = uuid.NewString() }

// attempt uses the key that the receiver has.
func (o *Opening) attempt(ctx context.Context) error {
	return o.post(ctx, "/lockers/"+o.Locker, o.key, nil)
}

// RedoByMethods renews in one method and sends in another.
func (o *Opening) RedoByMethods(ctx context.Context) (err error) {
	for n := 0; n < 3; n++ {
		o.renew() // want `made anew`
		if err = o.attempt(ctx); err == nil {
			return nil
		}
		time.Sleep(time.Second)
	}
	return err
}

// DoByMethods renews before.
func (o *Opening) DoByMethods(ctx context.Context) (err error) {
	o.renew()
	for n := 0; n < 3; n++ {
		if err = o.attempt(ctx); err == nil {
			return nil
		}
		time.Sleep(time.Second)
	}
	return err
}

// Promoted calls a method of the embedded struct.
func (s Station) Promoted(ctx context.Context, locker string) (err error) {
	for range 3 {
		if err = s.postNew(ctx, "/lockers/"+locker, nil); err == nil { // want `made anew`
			return nil
		}
	}
	return err
}

// PromotedOnce gives the embedded struct's method a key.
func (s Station) PromotedOnce(ctx context.Context, locker string) (err error) {
	key := uuid.NewString()
	for range 3 {
		if err = s.post(ctx, "/lockers/"+locker, key, nil); err == nil {
			return nil
		}
	}
	return err
}

// Expression calls by a method expression.
func Expression(ctx context.Context, b *base, locker string) (err error) {
	open := (*base).postNew
	for range 3 {
		if err = open(b, ctx, "/lockers/"+locker, nil); err == nil { // want `made anew`
			return nil
		}
	}
	return err
}

// ExpressionOnce calls it once per locker.
func ExpressionOnce(ctx context.Context, b *base, lockers []string) error {
	open := (*base).postNew
	for _, l := range lockers {
		if err := open(b, ctx, "/lockers/"+l, nil); err != nil {
			return err
		}
	}
	return nil
}

// Value works on a copy of the receiver: what a round writes is gone.
func (o Opening) Value(ctx context.Context) error {
	if o.key == "" {
		o.key = uuid.NewString()
	}
	return o.post(ctx, "/lockers/"+o.Locker, o.key, nil)
}

// ValueAgain repeats an operation that has no key, so the copy makes one.
func ValueAgain(ctx context.Context, hc *http.Client, url, locker string) (err error) {
	o := Opening{base: base{hc: hc, url: url}, Locker: locker}
	for range 3 {
		if err = o.Value(ctx); err == nil { // want `made anew`
			return nil
		}
	}
	return err
}

// ValueKeyed repeats one that has a key.
func ValueKeyed(ctx context.Context, hc *http.Client, url, locker string) (err error) {
	o := NewOpening(hc, url, locker)
	for range 3 {
		if err = o.Value(ctx); err == nil {
			return nil
		}
	}
	return err
}

// Given asks an interface of which nothing is known: it may give the same key
// for the same operation.
func (s Station) Given(ctx context.Context, locker string) (err error) {
	for range 3 {
		if err = s.post(ctx, "/lockers/"+locker, s.keys.Next(), nil); err == nil {
			return nil
		}
	}
	return err
}

// GivenFunc asks a function of the caller.
func (s Station) GivenFunc(ctx context.Context, locker string, key func(locker string) string) (err error) {
	for range 3 {
		if err = s.post(ctx, "/lockers/"+locker, key(locker), nil); err == nil {
			return nil
		}
	}
	return err
}
