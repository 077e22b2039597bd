// Package readfirst asks for exchange rates. Most of its functions have read
// the body when their context ends, and return what looks like an answer.
package readfirst

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"strings"
	"time"
)

const limit = 5 * time.Second

// Bank knows rates.
type Bank struct {
	hc    *http.Client
	base  string
	debug io.Writer
}

// Rate is one.
type Rate struct {
	Pair string
	Buy  float64
	Sell float64
}

func (b *Bank) ask(ctx context.Context, path string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, b.base+path, nil)
	if err != nil {
		return nil, err
	}
	return b.hc.Do(req)
}

// ReadOnFailure reads the body only of what went wrong.
func (b *Bank) ReadOnFailure(ctx context.Context, day string) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel() // want "before the body is read"
	resp, err := b.ask(ctx, "/rates/"+day)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode >= 400 {
		defer resp.Body.Close()
		msg, err := io.ReadAll(io.LimitReader(resp.Body, 4<<10))
		return nil, errors.Join(err, fmt.Errorf("rates: %s: %s", resp.Status, msg))
	}
	return resp, nil
}

// ReadOnDebug reads it only where somebody looks on.
func (b *Bank) ReadOnDebug(ctx context.Context, day string) (io.Reader, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel() // want "before the body is read"
	resp, err := b.ask(ctx, "/rates/"+day)
	if err != nil {
		return nil, err
	}
	if b.debug == nil {
		return resp.Body, nil
	}
	defer resp.Body.Close()
	var buf bytes.Buffer
	_, err = io.Copy(io.MultiWriter(&buf, b.debug), resp.Body)
	return &buf, err
}

// HeadersOnly dumps the headers, and leaves the body.
func (b *Bank) HeadersOnly(ctx context.Context, day string) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel() // want "before the body is read"
	resp, err := b.ask(ctx, "/rates/"+day)
	if err != nil {
		return nil, err
	}
	if dump, err := httputil.DumpResponse(resp, false); err == nil && b.debug != nil {
		b.debug.Write(dump)
	}
	return resp, nil
}

// From here on: nothing to report.

// Bytes reads all.
func (b *Bank) Bytes(ctx context.Context, day string) ([]byte, http.Header, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	resp, err := b.ask(ctx, "/rates/"+day)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return body, resp.Header.Clone(), err
}

// Rates decodes.
func (b *Bank) Rates(ctx context.Context, day string) (rates []Rate, err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	resp, err := b.ask(ctx, "/rates/"+day)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, resp.Body.Close()) }()
	err = json.NewDecoder(resp.Body).Decode(&rates)
	return rates, err
}

// Table reads line by line.
func (b *Bank) Table(ctx context.Context) (map[string]string, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	resp, err := b.ask(ctx, "/table")
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	out := map[string]string{}
	sc := bufio.NewScanner(resp.Body)
	for sc.Scan() {
		pair, rate, ok := strings.Cut(sc.Text(), " ")
		if ok {
			out[pair] = rate
		}
	}
	return out, sc.Err()
}

// slurp puts the body into memory; the response can be read as before.
func slurp(resp *http.Response) error {
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return nil
}

// Slurped returns a response in memory.
func (b *Bank) Slurped(ctx context.Context, day string) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	resp, err := b.ask(ctx, "/rates/"+day)
	if err != nil {
		return nil, err
	}
	if err := slurp(resp); err != nil {
		return nil, err
	}
	return resp, nil
}

// Dumped is in memory, too: DumpResponse leaves a copy of the body behind.
func (b *Bank) Dumped(ctx context.Context, day string) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	resp, err := b.ask(ctx, "/rates/"+day)
	if err != nil {
		return nil, err
	}
	dump, err := httputil.DumpResponse(resp, true)
	if err != nil {
		return nil, err
	}
	if b.debug != nil {
		b.debug.Write(dump)
	}
	return resp, nil
}

// Response is what Decoded returns beside the value, as many clients do.
type Response struct {
	*http.Response
	Next string
}

// Decoded returns the response for its status and headers; the body is closed.
func (b *Bank) Decoded(ctx context.Context, path string, v any) (*Response, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	resp, err := b.ask(ctx, path)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	out := &Response{Response: resp, Next: resp.Header.Get("Link")}
	if resp.StatusCode >= 400 {
		return out, fmt.Errorf("rates: %s", resp.Status)
	}
	if w, ok := v.(io.Writer); ok {
		_, err = io.Copy(w, resp.Body)
	} else {
		err = json.NewDecoder(resp.Body).Decode(v)
	}
	return out, err
}

// Summary takes some of it along.
type Summary struct {
	Status int
	Type   string
	Age    string
	Head   []byte
}

// Summary reads the beginning, and closes.
func (b *Bank) Summary(ctx context.Context, day string) (*Summary, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	resp, err := b.ask(ctx, "/rates/"+day)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	head := make([]byte, 512)
	n, err := io.ReadFull(resp.Body, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	return &Summary{resp.StatusCode, resp.Header.Get("Content-Type"), resp.Header.Get("Age"), head[:n]}, nil
}

// Forward passes an answer on while its context lives.
func (b *Bank) Forward(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), limit)
	defer cancel()
	resp, err := b.ask(ctx, r.URL.Path)
	if err != nil {
		http.Error(w, "no rates today", http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	w.WriteHeader(resp.StatusCode)
	_, _ = io.Copy(w, resp.Body)
}

// Tried asks again. The context of an attempt ends in the next round, when its
// answer is drained; the last answer is put into memory before.
func (b *Bank) Tried(ctx context.Context, day string) (resp *http.Response, err error) {
	var last context.CancelFunc
	for n := 0; n < 3; n++ {
		each, cancel := context.WithTimeout(ctx, limit)
		if resp != nil && resp.Body != nil {
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
		}
		if last != nil {
			last()
		}
		last = cancel
		resp, err = b.ask(each, "/rates/"+day)
		if good := err == nil && resp.StatusCode < 500; good || n == 2 {
			if kept := slurp(resp); kept != nil && err == nil {
				err = kept
			}
			cancel()
			return resp, err
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			err = ctx.Err()
			cancel()
			return resp, err
		}
	}
	if last != nil {
		last()
	}
	return resp, err
}

// TriedMost is given how often, and knows the last time by its number.
func (b *Bank) TriedMost(ctx context.Context, most int, day string) (*http.Response, error) {
	var resp *http.Response
	var err error
	var last context.CancelFunc
	for n := 0; n < most; n++ {
		each, cancel := context.WithTimeout(ctx, limit)
		if last != nil {
			last()
		}
		last = cancel
		resp, err = b.ask(each, "/rates/"+day)
		if err == nil || n == most-1 {
			if err == nil {
				err = slurp(resp)
			}
			cancel()
			return resp, err
		}
	}
	if last != nil {
		last()
	}
	return resp, err
}

// TriedLess mistakes the last time.
func (b *Bank) TriedLess(ctx context.Context, most int, day string) (*http.Response, error) {
	var resp *http.Response
	var err error
	var last context.CancelFunc
	for n := 0; n < most; n++ {
		each, cancel := context.WithTimeout(ctx, limit)
		last = cancel
		resp, err = b.ask(each, "/rates/"+day)
		if n == most-2 {
			err = slurp(resp)
			cancel()
			return resp, err
		}
	}
	if last != nil {
		last() // want "before the body is read"
	}
	return resp, err
}
