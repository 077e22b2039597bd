// Package render starts jobs on a render farm and waits for them.
package render

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"retrynokey/across/jobs/wait"
)

// Farm is a render farm.
type Farm struct {
	hc   *http.Client
	base string
}

func (f *Farm) post(ctx context.Context, path string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, f.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	resp, err := f.hc.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode >= 300 {
		resp.Body.Close()
		return nil, fmt.Errorf("farm: %s", resp.Status)
	}
	return resp, nil
}

// Start starts a job, until that works: after a timeout there may be two.
func (f *Farm) Start(ctx context.Context, scene []byte) (id string, err error) {
	err = wait.Works(ctx, 2*time.Second, func(ctx context.Context) error {
		resp, err := f.post(ctx, "/jobs", scene) // want "without an idempotency key"
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		id = resp.Header.Get("Location")
		return nil
	})
	return id, err
}

// Finished is silent: the farm wants a POST to say how far it is, and what is
// waited for is a state.
func (f *Farm) Finished(ctx context.Context, id string) error {
	return wait.Until(ctx, 5*time.Second, func(ctx context.Context) (bool, error) {
		resp, err := f.post(ctx, "/jobs/"+id+"/advance", nil)
		if err != nil {
			return false, err
		}
		defer resp.Body.Close()
		var st struct{ State string }
		if err := json.NewDecoder(resp.Body).Decode(&st); err != nil {
			return false, err
		}
		return st.State == "finished", nil
	})
}

// Alive is silent: it goes on after success, too.
func (f *Farm) Alive(ctx context.Context, worker string) {
	wait.Forever(ctx, time.Minute, func(ctx context.Context) error {
		resp, err := f.post(ctx, "/workers/"+worker+"/beat", nil)
		if err != nil {
			return err
		}
		return resp.Body.Close()
	})
}

// Stubborn looks like Finished; here an error does not end it.
func (f *Farm) Stubborn(ctx context.Context, scene []byte) error {
	return wait.Until(ctx, time.Second, func(ctx context.Context) (bool, error) {
		resp, err := f.post(ctx, "/jobs", scene) // want "without an idempotency key"
		if err != nil {
			return false, nil
		}
		return true, resp.Body.Close()
	})
}
