// Package readers uploads weather charts, and makes a new request for each
// attempt. What the requests read is one reader, or a new one each time.
package readers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"
)

const mime = "application/x-chart"

var errGone = errors.New("chart not taken")

// Office takes charts.
type Office struct {
	hc   *http.Client
	base string
	key  string
}

func check(resp *http.Response, err error) error {
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	if resp.StatusCode >= 300 {
		return fmt.Errorf("weather office: %s", resp.Status)
	}
	return nil
}

func wait(ctx context.Context, n int) error {
	select {
	case <-time.After(time.Duration(n+1) * time.Second):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Buffer is drained by the first attempt.
func (o *Office) Buffer(ctx context.Context, chart []byte) (err error) {
	buf := bytes.NewBuffer(chart)
	for n := range 3 {
		req, rerr := http.NewRequestWithContext(ctx, http.MethodPost, o.base+"/charts", buf) // want `body`
		if rerr != nil {
			return rerr
		}
		req.Header.Set("Idempotency-Key", o.key)
		if err = check(o.hc.Do(req)); err == nil {
			return nil
		}
		if werr := wait(ctx, n); werr != nil {
			return werr
		}
	}
	return err
}

// BufferAnew reads the same bytes through a new reader.
func (o *Office) BufferAnew(ctx context.Context, chart []byte) (err error) {
	buf := bytes.NewBuffer(chart)
	for n := range 3 {
		req, rerr := http.NewRequestWithContext(ctx, http.MethodPost, o.base+"/charts", bytes.NewReader(buf.Bytes()))
		if rerr != nil {
			return rerr
		}
		req.Header.Set("Idempotency-Key", o.key)
		if err = check(o.hc.Do(req)); err == nil {
			return nil
		}
		if werr := wait(ctx, n); werr != nil {
			return werr
		}
	}
	return err
}

// Text is a strings.Reader, and the call is http.Post.
func Text(url, chart string) error {
	body := strings.NewReader(chart)
	for range 3 {
		if check(http.Post(url, mime, body)) == nil { // want `body`
			return nil
		}
	}
	return errGone
}

// TextAnew makes the reader in the call.
func TextAnew(url, chart string) error {
	for range 3 {
		if check(http.Post(url, mime, strings.NewReader(chart))) == nil {
			return nil
		}
	}
	return errGone
}

// Bytes is a bytes.Reader and a PUT.
func (o *Office) Bytes(ctx context.Context, chart []byte) error {
	rd := bytes.NewReader(chart)
	for attempt := 1; ; attempt++ {
		req, err := http.NewRequestWithContext(ctx, http.MethodPut, o.base+"/charts/today", rd) // want `body`
		if err != nil {
			return err
		}
		req.Header.Set("Content-Type", mime)
		err = check(o.hc.Do(req))
		if err == nil || attempt == 4 {
			return err
		}
		if err := wait(ctx, attempt); err != nil {
			return err
		}
	}
}

// BytesAnew is the same with a reader per attempt.
func (o *Office) BytesAnew(ctx context.Context, chart []byte) error {
	for attempt := 1; ; attempt++ {
		rd := bytes.NewReader(chart)
		req, err := http.NewRequestWithContext(ctx, http.MethodPut, o.base+"/charts/today", rd)
		if err != nil {
			return err
		}
		req.Header.Set("Content-Type", mime)
		err = check(o.hc.Do(req))
		if err == nil || attempt == 4 {
			return err
		}
		if err := wait(ctx, attempt); err != nil {
			return err
		}
	}
}

// File is opened once; net/http closes it after the first attempt.
func (o *Office) File(ctx context.Context, name string) (err error) {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	for n := 0; n < 3; n++ {
		var req *http.Request
		req, err = http.NewRequestWithContext(ctx, http.MethodPut, o.base+"/charts/"+name, f) // want `body`
		if err != nil {
			return err
		}
		if err = check(o.hc.Do(req)); err == nil {
			return nil
		}
	}
	return err
}

// FileAnew opens it in each round.
func (o *Office) FileAnew(ctx context.Context, name string) (err error) {
	for n := 0; n < 3; n++ {
		f, ferr := os.Open(name)
		if ferr != nil {
			return ferr
		}
		req, rerr := http.NewRequestWithContext(ctx, http.MethodPut, o.base+"/charts/"+name, f)
		if rerr != nil {
			_ = f.Close()
			return rerr
		}
		if err = check(o.hc.Do(req)); err == nil {
			return nil
		}
	}
	return err
}

// FileSection reads the open file from its beginning in each round.
func (o *Office) FileSection(ctx context.Context, f *os.File, size int64) (err error) {
	for range 3 {
		req, rerr := http.NewRequestWithContext(ctx, http.MethodPut, o.base+"/charts/today", io.NewSectionReader(f, 0, size))
		if rerr != nil {
			return rerr
		}
		req.ContentLength = size
		if err = check(o.hc.Do(req)); err == nil {
			return nil
		}
	}
	return err
}

// Given sends what the caller hands over, whatever it is.
func (o *Office) Given(ctx context.Context, chart io.Reader) error {
	for n := 0; ; n++ {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, o.base+"/charts", chart) // want `body`
		if err != nil {
			return err
		}
		req.Header.Set("Idempotency-Key", o.key)
		resp, err := o.hc.Do(req)
		if err == nil && resp.StatusCode < 500 {
			return check(resp, nil)
		}
		if err == nil {
			_ = resp.Body.Close()
			err = errGone
		}
		if n == 2 {
			return err
		}
		if err := wait(ctx, n); err != nil {
			return err
		}
	}
}

// GivenRead reads it to its end before the first attempt.
func (o *Office) GivenRead(ctx context.Context, chart io.Reader) error {
	data, err := io.ReadAll(chart)
	if err != nil {
		return err
	}
	for n := 0; ; n++ {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, o.base+"/charts", bytes.NewReader(data))
		if err != nil {
			return err
		}
		req.Header.Set("Idempotency-Key", o.key)
		resp, err := o.hc.Do(req)
		if err == nil && resp.StatusCode < 500 {
			return check(resp, nil)
		}
		if err == nil {
			_ = resp.Body.Close()
			err = errGone
		}
		if n == 2 {
			return err
		}
		if err := wait(ctx, n); err != nil {
			return err
		}
	}
}

// Piped sends the end of a pipe, which is written once.
func (o *Office) Piped(ctx context.Context, draw func(io.Writer) error) (err error) {
	pr, pw := io.Pipe()
	go func() { pw.CloseWithError(draw(pw)) }()
	for range 3 {
		req, rerr := http.NewRequestWithContext(ctx, http.MethodPost, o.base+"/charts", pr) // want `body`
		if rerr != nil {
			return rerr
		}
		req.Header.Set("Idempotency-Key", o.key)
		if err = check(o.hc.Do(req)); err == nil {
			return nil
		}
	}
	return err
}

// PipedAnew draws again for each attempt.
func (o *Office) PipedAnew(ctx context.Context, draw func(io.Writer) error) (err error) {
	for range 3 {
		pr, pw := io.Pipe()
		go func() { pw.CloseWithError(draw(pw)) }()
		req, rerr := http.NewRequestWithContext(ctx, http.MethodPost, o.base+"/charts", pr)
		if rerr != nil {
			return rerr
		}
		req.Header.Set("Idempotency-Key", o.key)
		if err = check(o.hc.Do(req)); err == nil {
			return nil
		}
	}
	return err
}

// Throttled repeats only after 429; the body has been read all the same.
func (o *Office) Throttled(ctx context.Context, chart io.Reader) (*http.Response, error) {
	for n := 0; ; n++ {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, o.base+"/charts", chart) // want `body`
		if err != nil {
			return nil, err
		}
		resp, err := o.hc.Do(req)
		if err != nil || resp.StatusCode != http.StatusTooManyRequests || n == 5 {
			return resp, err
		}
		_ = resp.Body.Close()
		if err := wait(ctx, n); err != nil {
			return nil, err
		}
	}
}

// Recursive hands the reader on to itself.
func (o *Office) Recursive(ctx context.Context, chart io.Reader, left int) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, o.base+"/charts", chart) // want `body`
	if err != nil {
		return err
	}
	req.Header.Set("Idempotency-Key", o.key)
	if err = check(o.hc.Do(req)); err != nil && left > 0 {
		return o.Recursive(ctx, chart, left-1)
	}
	return err
}

// RecursiveBytes hands on what can be read again.
func (o *Office) RecursiveBytes(ctx context.Context, chart []byte, left int) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, o.base+"/charts", bytes.NewReader(chart))
	if err != nil {
		return err
	}
	req.Header.Set("Idempotency-Key", o.key)
	if err = check(o.hc.Do(req)); err != nil && left > 0 {
		return o.RecursiveBytes(ctx, chart, left-1)
	}
	return err
}

// Single sends a reader once.
func (o *Office) Single(ctx context.Context, chart io.Reader) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, o.base+"/charts", chart)
	if err != nil {
		return err
	}
	return check(o.hc.Do(req))
}

// Each sends many, each with its own reader.
func (o *Office) Each(ctx context.Context, charts []io.Reader) (err error) {
	for _, chart := range charts {
		err = errors.Join(err, o.Single(ctx, chart))
	}
	return err
}

// Parts sends one long chart piece by piece: success goes round, and each piece
// is another request.
func (o *Office) Parts(ctx context.Context, chart io.Reader, size, part int64) error {
	for at := int64(0); at < size; at += part {
		target := fmt.Sprintf("%s/charts/today/parts/%d", o.base, at)
		req, err := http.NewRequestWithContext(ctx, http.MethodPut, target, io.LimitReader(chart, part))
		if err != nil {
			return err
		}
		if err := check(o.hc.Do(req)); err != nil {
			return err
		}
	}
	return nil
}

// PartsAgain repeats a piece, from where the first attempt stopped reading.
func (o *Office) PartsAgain(ctx context.Context, chart io.Reader, size, part int64) error {
	for at := int64(0); at < size; at += part {
		target := fmt.Sprintf("%s/charts/today/parts/%d", o.base, at)
		var err error
		for range 3 {
			req, rerr := http.NewRequestWithContext(ctx, http.MethodPut, target, io.LimitReader(chart, part)) // want `body`
			if rerr != nil {
				return rerr
			}
			if err = check(o.hc.Do(req)); err == nil {
				break
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}
