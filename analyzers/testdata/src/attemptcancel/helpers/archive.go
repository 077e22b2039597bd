// Package helpers reads from a newspaper archive through helpers that return
// the answer, or give it a limit.
package helpers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// Archive is a client of the archive.
type Archive struct {
	hc    *http.Client
	base  string
	token string
	limit time.Duration
}

// StatusError is an answer that is no success.
type StatusError struct {
	Code int
	Text string
}

func (e *StatusError) Error() string { return fmt.Sprintf("archive: %d: %s", e.Code, e.Text) }

// get is the helper that everything goes through.
func (a *Archive) get(ctx context.Context, path string) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, a.limit)
	defer cancel() // want "before the body is read"
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, a.base+path, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+a.token)
	resp, err := a.hc.Do(req)
	if err != nil {
		return nil, fmt.Errorf("archive: %w", err)
	}
	if resp.StatusCode != http.StatusOK {
		defer resp.Body.Close()
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 512))
		return nil, &StatusError{resp.StatusCode, string(text)}
	}
	return resp, nil
}

// Issue is one day's paper.
type Issue struct {
	Day   string
	Pages []string
}

// Issue reads what get returned: too late.
func (a *Archive) Issue(ctx context.Context, day string) (*Issue, error) {
	resp, err := a.get(ctx, "/issues/"+day)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	var is Issue
	if err := json.NewDecoder(resp.Body).Decode(&is); err != nil {
		return nil, err
	}
	return &is, nil
}

// send is one exchange under the caller's context; nothing ends in it.
func (a *Archive) send(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, a.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+a.token)
	return a.hc.Do(req)
}

// Post limits what send does.
func (a *Archive) Post(ctx context.Context, path string, v any) (*http.Response, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, a.limit)
	defer cancel() // want "before the body is read"
	return a.send(ctx, http.MethodPost, path, body)
}

// Page returns the body alone.
func (a *Archive) Page(ctx context.Context, id string) (io.ReadCloser, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel() // want "before the body is read"
	resp, err := a.send(ctx, http.MethodGet, "/pages/"+id, nil)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		resp.Body.Close()
		return nil, &StatusError{Code: resp.StatusCode}
	}
	return resp.Body, nil
}

// bounded derives a context as the archive is set up.
func (a *Archive) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	if a.limit <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, a.limit)
}

// Clipping derives its context in a helper.
func (a *Archive) Clipping(ctx context.Context, id string) (*http.Response, error) {
	ctx, cancel := a.bounded(ctx)
	defer cancel() // want "before the body is read"
	resp, err := a.send(ctx, http.MethodGet, "/clippings/"+id, nil)
	if err != nil {
		return nil, err
	}
	return resp, nil
}

// prepare returns a request with a limit in it, and what ends it.
func (a *Archive) prepare(ctx context.Context, path string) (*http.Request, context.CancelFunc, error) {
	ctx, cancel := context.WithTimeout(ctx, a.limit)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, a.base+path, nil)
	if err != nil {
		cancel()
		return nil, nil, err
	}
	return req, cancel, nil
}

// Photo gets its request from prepare.
func (a *Archive) Photo(ctx context.Context, id string) (*http.Response, error) {
	req, cancel, err := a.prepare(ctx, "/photos/"+id)
	if err != nil {
		return nil, err
	}
	defer cancel() // want "before the body is read"
	return a.hc.Do(req)
}

// within runs what it is given under a limit.
func (a *Archive) within(ctx context.Context, fn func(context.Context) (*http.Response, error)) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, a.limit)
	defer cancel() // want "before the body is read"
	return fn(ctx)
}

// Index reads what came through within.
func (a *Archive) Index(ctx context.Context) ([]string, error) {
	resp, err := a.within(ctx, func(ctx context.Context) (*http.Response, error) {
		return a.send(ctx, http.MethodGet, "/index", nil)
	})
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	var days []string
	err = json.NewDecoder(resp.Body).Decode(&days)
	return days, err
}

// open leaves it to the caller to end the context.
func (a *Archive) open(ctx context.Context, path string) (*http.Response, context.CancelFunc, error) {
	ctx, cancel := context.WithTimeout(ctx, a.limit)
	resp, err := a.send(ctx, http.MethodGet, path, nil)
	if err != nil {
		cancel()
		return nil, nil, err
	}
	return resp, cancel, nil
}

// Raw ends it too early.
func (a *Archive) Raw(ctx context.Context, path string) (io.ReadCloser, error) {
	resp, cancel, err := a.open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer cancel() // want "before the body is read"
	return resp.Body, nil
}

// From here on: nothing to report.

// Text ends it when it has read.
func (a *Archive) Text(ctx context.Context, path string) (string, error) {
	resp, cancel, err := a.open(ctx, path)
	if err != nil {
		return "", err
	}
	defer cancel()
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return string(b), err
}

// JSON decodes under the limit.
func (a *Archive) JSON(ctx context.Context, path string, v any) error {
	ctx, cancel := context.WithTimeout(ctx, a.limit)
	defer cancel()
	resp, err := a.send(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return json.NewDecoder(resp.Body).Decode(v)
}

// Save copies under the limit.
func (a *Archive) Save(ctx context.Context, id string, to io.Writer) (int64, error) {
	ctx, cancel := a.bounded(ctx)
	defer cancel()
	resp, err := a.send(ctx, http.MethodGet, "/photos/"+id, nil)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	return io.Copy(to, resp.Body)
}

// Alive tells the status, and the body is of no interest.
func (a *Archive) Alive(ctx context.Context) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	resp, err := a.send(ctx, http.MethodGet, "/alive", nil)
	if err != nil {
		return 0, err
	}
	resp.Body.Close()
	return resp.StatusCode, nil
}

// Meta returns the headers: they are in memory.
func (a *Archive) Meta(ctx context.Context, id string) (http.Header, error) {
	ctx, cancel := context.WithTimeout(ctx, a.limit)
	defer cancel()
	resp, err := a.send(ctx, http.MethodGet, "/photos/"+id, nil)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, &StatusError{Code: resp.StatusCode}
	}
	return resp.Header, nil
}

// head: the answer to a HEAD has no body that could be cut.
func (a *Archive) head(ctx context.Context, id string) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, a.limit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, a.base+"/photos/"+id, nil)
	if err != nil {
		return nil, err
	}
	return a.hc.Do(req)
}

// Size asks with head.
func (a *Archive) Size(ctx context.Context, id string) (int64, error) {
	resp, err := a.head(ctx, id)
	if err != nil {
		return 0, err
	}
	return resp.ContentLength, resp.Body.Close()
}

// reading runs what reads under a limit.
func (a *Archive) reading(ctx context.Context, fn func(context.Context) ([]byte, error)) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, a.limit)
	defer cancel()
	return fn(ctx)
}

// Front reads inside.
func (a *Archive) Front(ctx context.Context, day string) ([]byte, error) {
	return a.reading(ctx, func(ctx context.Context) ([]byte, error) {
		resp, err := a.send(ctx, http.MethodGet, "/issues/"+day+"/front", nil)
		if err != nil {
			return nil, err
		}
		defer resp.Body.Close()
		return io.ReadAll(resp.Body)
	})
}

var errClosed = errors.New("archive: closed on Sundays")

// Delete returns the answer of another call than the one that is limited.
func (a *Archive) Delete(ctx context.Context, id string) (*http.Response, error) {
	check, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	resp, err := a.send(check, http.MethodGet, "/alive", nil)
	if err != nil {
		return nil, err
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, errClosed
	}
	return a.send(ctx, http.MethodDelete, "/clippings/"+id, nil)
}
