// Package memoised reserves theatre seats. The key is made inside of what is
// repeated, but the first round keeps it; or it is meant to be kept, and is not.
package memoised

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"retryfreshkey/uuid"
)

const header = "Idempotency-Key"

// Office reserves seats.
type Office struct {
	hc   *http.Client
	base string
}

// Seat is one reservation on its way.
type Seat struct {
	Row, Number int

	key  string
	once sync.Once
}

// Key returns the key of the reservation, and makes it at the first call.
func (s *Seat) Key() string {
	if s.key == "" {
		s.key = uuid.NewString()
	}
	return s.key
}

// OnceKey is the same under a sync.Once.
func (s *Seat) OnceKey() string {
	s.once.Do(func() { s.key = uuid.NewString() })
	return s.key
}

// FreshKey forgets what it made.
func (s *Seat) FreshKey() string {
	key := s.key
	if key == "" {
		key = uuid.NewString()
	}
	return key
}

func again(n int, f func() error) (err error) {
	for i := range n {
		if err = f(); err == nil {
			return nil
		}
		time.Sleep(time.Duration(i+1) * time.Second)
	}
	return err
}

func (o *Office) reserve(ctx context.Context, key string, row, number int) error {
	body := fmt.Appendf(nil, `{"row":%d,"seat":%d}`, row, number)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, o.base+"/reservations", bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set(header, key)
	resp, err := o.hc.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("theatre: %s", resp.Status)
	}
	return nil
}

// KeptOutside fills a variable that outlives the round.
func (o *Office) KeptOutside(ctx context.Context, row, number int) (err error) {
	var key string
	for range 3 {
		if key == "" {
			key = uuid.NewString()
		}
		if err = o.reserve(ctx, key, row, number); err == nil {
			return nil
		}
	}
	return err
}

// LostInside fills a variable that every round declares anew.
func (o *Office) LostInside(ctx context.Context, row, number int) (err error) {
	for range 3 {
		var key string
		if key == "" {
			key = uuid.NewString() // want `made anew`
		}
		if err = o.reserve(ctx, key, row, number); err == nil {
			return nil
		}
	}
	return err
}

// KeptByClosure fills a captured variable.
func (o *Office) KeptByClosure(ctx context.Context, row, number int) error {
	var key string
	return again(4, func() error {
		if key == "" {
			key = uuid.NewString()
		}
		return o.reserve(ctx, key, row, number)
	})
}

// ResetByClosure empties it after every failure.
func (o *Office) ResetByClosure(ctx context.Context, row, number int) error {
	var key string
	return again(4, func() error {
		if key == "" {
			key = uuid.NewString() // want `made anew`
		}
		err := o.reserve(ctx, key, row, number)
		key = ""
		return err
	})
}

// KeptByParameter makes a key in the first round, when the caller gave none.
func (o *Office) KeptByParameter(ctx context.Context, key string, row, number int) (err error) {
	for range 3 {
		if key == "" {
			key = uuid.NewString()
		}
		if err = o.reserve(ctx, key, row, number); err == nil {
			return nil
		}
	}
	return err
}

// FirstRound makes it in the first round.
func (o *Office) FirstRound(ctx context.Context, row, number int) (err error) {
	key := ""
	for n := 0; n < 3; n++ {
		if n == 0 {
			key = uuid.NewString()
		}
		if err = o.reserve(ctx, key, row, number); err == nil {
			return nil
		}
	}
	return err
}

// EveryRoundButFirst has it the wrong way round: a new one for each repetition.
func (o *Office) EveryRoundButFirst(ctx context.Context, row, number int) (err error) {
	key := uuid.NewString()
	for n := 0; n < 3; n++ {
		if n > 0 {
			key = uuid.NewString() // want `made anew`
		}
		if err = o.reserve(ctx, key, row, number); err == nil {
			return nil
		}
	}
	return err
}

// KeptByMethod asks the seat, which keeps it.
func (o *Office) KeptByMethod(ctx context.Context, s *Seat) error {
	return again(3, func() error {
		return o.reserve(ctx, s.Key(), s.Row, s.Number)
	})
}

// KeptByOnce asks the seat, which makes it under a sync.Once.
func (o *Office) KeptByOnce(ctx context.Context, s *Seat) (err error) {
	for range 3 {
		if err = o.reserve(ctx, s.OnceKey(), s.Row, s.Number); err == nil {
			return nil
		}
	}
	return err
}

// ForgottenByMethod asks a method that does not keep it.
func (o *Office) ForgottenByMethod(ctx context.Context, row, number int) (err error) {
	seat := &Seat{Row: row, Number: number}
	for range 3 {
		if err = o.reserve(ctx, seat.FreshKey(), seat.Row, seat.Number); err == nil { // want `made anew`
			return nil
		}
	}
	return err
}

// KeptOnRequest sets the header of one request if it is not set yet.
func (o *Office) KeptOnRequest(ctx context.Context) (err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, o.base+"/reservations/close", nil)
	if err != nil {
		return err
	}
	for range 3 {
		if req.Header.Get(header) == "" {
			req.Header.Set(header, uuid.NewString())
		}
		var resp *http.Response
		if resp, err = o.hc.Do(req); err == nil {
			return resp.Body.Close()
		}
	}
	return err
}

// LostOnClone asks the clone, and the next round has another clone.
func (o *Office) LostOnClone(ctx context.Context) (err error) {
	tmpl, err := http.NewRequestWithContext(ctx, http.MethodPost, o.base+"/reservations/close", nil)
	if err != nil {
		return err
	}
	for range 3 {
		req := tmpl.Clone(ctx)
		if req.Header.Get(header) == "" {
			req.Header.Set(header, uuid.NewString()) // want `made anew`
		}
		var resp *http.Response
		if resp, err = o.hc.Do(req); err == nil {
			return resp.Body.Close()
		}
	}
	return err
}

// KeptInMap remembers the key per seat.
func (o *Office) KeptInMap(ctx context.Context, seats [][2]int) error {
	keys := make(map[[2]int]string)
	for _, s := range seats {
		err := again(3, func() error {
			key, ok := keys[s]
			if !ok {
				key = uuid.NewString()
				keys[s] = key
			}
			return o.reserve(ctx, key, s[0], s[1])
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// KeptByOnceValue asks a function that computes once.
func (o *Office) KeptByOnceValue(ctx context.Context, row, number int) error {
	key := sync.OnceValue(uuid.NewString)
	return again(3, func() error {
		return o.reserve(ctx, key(), row, number)
	})
}
