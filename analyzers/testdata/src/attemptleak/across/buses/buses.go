// Package buses is an application: it sends by one package, judges by another,
// and repeats by a third.
package buses

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"attemptleak/across/again"
	"attemptleak/across/answers"
	"attemptleak/across/rpc"
)

// Stops knows where buses stop.
type Stops struct {
	hc   *http.Client
	base string
}

// Near has its loop here, and the rest elsewhere.
func (s *Stops) Near(ctx context.Context, place string) (*http.Response, error) {
	for n := 0; ; n++ {
		resp, err := rpc.Get(ctx, s.hc, s.base+"/near/"+place) // want "not closed"
		if n == 4 || !answers.Passing(resp, err) {
			return resp, err
		}
		select {
		case <-time.After(answers.Wait(resp, time.Second)):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Line has its loop elsewhere.
func (s *Stops) Line(ctx context.Context, line string) ([]string, error) {
	return again.Do(ctx, 3, func(ctx context.Context) (stops []string, err error) {
		resp, err := rpc.Get(ctx, s.hc, s.base+"/lines/"+line) // want "not closed"
		if err != nil {
			return nil, err
		}
		if err := answers.Judge(resp); err != nil {
			return nil, err
		}
		defer resp.Body.Close()
		err = json.NewDecoder(resp.Body).Decode(&stops)
		return stops, err
	})
}

// Raw returns the answer through the helper, good or bad.
func (s *Stops) Raw(ctx context.Context, line string) (*http.Response, error) {
	return again.Do(ctx, 3, func(ctx context.Context) (*http.Response, error) {
		resp, err := rpc.Get(ctx, s.hc, s.base+"/lines/"+line) // want "not closed"
		if err != nil {
			return nil, err
		}
		return resp, answers.Judge(resp)
	})
}

// From here on: nothing to report.

// NearDropped closes in another package.
func (s *Stops) NearDropped(ctx context.Context, place string) (*http.Response, error) {
	for n := 0; ; n++ {
		resp, err := rpc.Get(ctx, s.hc, s.base+"/near/"+place)
		if n == 4 || !answers.Passing(resp, err) {
			return resp, err
		}
		wait := answers.Wait(resp, time.Second)
		answers.Drop(resp)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// LineChecked closes with the check of another package.
func (s *Stops) LineChecked(ctx context.Context, line string) ([]string, error) {
	return again.Do(ctx, 3, func(ctx context.Context) (stops []string, err error) {
		resp, err := rpc.Get(ctx, s.hc, s.base+"/lines/"+line)
		if err != nil {
			return nil, err
		}
		if err := answers.Check(resp); err != nil {
			return nil, err
		}
		defer resp.Body.Close()
		err = json.NewDecoder(resp.Body).Decode(&stops)
		return stops, err
	})
}

// RawChecked gets failures that are closed.
func (s *Stops) RawChecked(ctx context.Context, line string) (*http.Response, error) {
	return again.Do(ctx, 3, func(ctx context.Context) (*http.Response, error) {
		return rpc.Checked(ctx, s.hc, s.base+"/lines/"+line)
	})
}

// Exchanged is closed by the helper.
func (s *Stops) Exchanged(ctx context.Context, line string) (*http.Response, error) {
	return again.Exchange(ctx, 3, func(ctx context.Context) (*http.Response, error) {
		return rpc.Get(ctx, s.hc, s.base+"/lines/"+line)
	})
}

// Stubborn calls what leaks by itself.
func (s *Stops) Stubborn(ctx context.Context, line string) (stops []string, err error) {
	resp, err := rpc.Stubborn(ctx, s.hc, s.base+"/lines/"+line)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	err = json.NewDecoder(resp.Body).Decode(&stops)
	return stops, err
}
