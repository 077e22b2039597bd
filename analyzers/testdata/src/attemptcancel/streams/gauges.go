// Package streams follows tide gauges: what its functions return is read piece
// by piece.
package streams

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"iter"
	"mime"
	"mime/multipart"
	"net/http"
	"time"
)

// Harbour serves its gauges.
type Harbour struct {
	hc   *http.Client
	base string
	wait time.Duration
}

// Reading is one value.
type Reading struct {
	At    time.Time `json:"at"`
	Level float64   `json:"level"`
}

// open is one request under the caller's context.
func (h *Harbour) open(ctx context.Context, path, accept string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, h.base+path, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", accept)
	resp, err := h.hc.Do(req)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		resp.Body.Close()
		return nil, fmt.Errorf("%s: %s", path, resp.Status)
	}
	return resp, nil
}

// Lines returns a scanner.
func (h *Harbour) Lines(ctx context.Context, gauge string) (*bufio.Scanner, error) {
	ctx, cancel := context.WithTimeout(ctx, h.wait)
	defer cancel() // want "before the body is read"
	resp, err := h.open(ctx, "/gauges/"+gauge+"/lines", "text/plain")
	if err != nil {
		return nil, err
	}
	sc := bufio.NewScanner(resp.Body)
	sc.Buffer(make([]byte, 0, 64<<10), 1<<20)
	return sc, nil
}

// Values returns a decoder, and what closes the body.
func (h *Harbour) Values(ctx context.Context, gauge string) (*json.Decoder, io.Closer, error) {
	ctx, cancel := context.WithTimeout(ctx, h.wait)
	defer cancel() // want "before the body is read"
	resp, err := h.open(ctx, "/gauges/"+gauge+"/values", "application/x-ndjson")
	if err != nil {
		return nil, nil, err
	}
	dec := json.NewDecoder(resp.Body)
	dec.UseNumber()
	return dec, resp.Body, nil
}

// Table returns a reader of rows.
func (h *Harbour) Table(ctx context.Context, month string) (*csv.Reader, error) {
	ctx, cancel := context.WithTimeout(ctx, h.wait)
	defer cancel() // want "before the body is read"
	resp, err := h.open(ctx, "/tables/"+month+".csv", "text/csv")
	if err != nil {
		return nil, err
	}
	r := csv.NewReader(bufio.NewReader(resp.Body))
	r.Comma = ';'
	return r, nil
}

// Document returns an XML decoder over a part of the body.
func (h *Harbour) Document(ctx context.Context) (*xml.Decoder, error) {
	ctx, cancel := context.WithTimeout(ctx, h.wait)
	defer cancel() // want "before the body is read"
	resp, err := h.open(ctx, "/harbour.xml", "text/xml")
	if err != nil {
		return nil, err
	}
	return xml.NewDecoder(io.LimitReader(resp.Body, 8<<20)), nil
}

// unzipped closes both.
type unzipped struct {
	*gzip.Reader
	body io.Closer
}

func (u unzipped) Close() error { return errors.Join(u.Reader.Close(), u.body.Close()) }

// Log returns a reader that unpacks as it goes.
func (h *Harbour) Log(ctx context.Context, day string) (io.ReadCloser, error) {
	ctx, cancel := context.WithTimeout(ctx, h.wait)
	defer cancel() // want "before the body is read"
	resp, err := h.open(ctx, "/logs/"+day+".gz", "application/gzip")
	if err != nil {
		return nil, err
	}
	zr, err := gzip.NewReader(resp.Body)
	if err != nil {
		resp.Body.Close()
		return nil, err
	}
	return unzipped{zr, resp.Body}, nil
}

// Photos returns a reader of parts.
func (h *Harbour) Photos(ctx context.Context, gauge string) (*multipart.Reader, error) {
	ctx, cancel := context.WithTimeout(ctx, h.wait)
	defer cancel() // want "before the body is read"
	resp, err := h.open(ctx, "/gauges/"+gauge+"/photos", "multipart/mixed")
	if err != nil {
		return nil, err
	}
	_, params, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil {
		resp.Body.Close()
		return nil, err
	}
	return multipart.NewReader(resp.Body, params["boundary"]), nil
}

// Tail follows a gauge.
type Tail struct {
	body io.ReadCloser
	sc   *bufio.Scanner
	last Reading
	err  error
}

// Next goes on to the next reading.
func (t *Tail) Next() bool {
	if t.err != nil || !t.sc.Scan() {
		return false
	}
	t.err = json.Unmarshal(t.sc.Bytes(), &t.last)
	return t.err == nil
}

// Reading is the current one.
func (t *Tail) Reading() Reading { return t.last }

// Err is what ended it.
func (t *Tail) Err() error { return errors.Join(t.err, t.sc.Err()) }

// Close closes the body.
func (t *Tail) Close() error { return t.body.Close() }

func newTail(body io.ReadCloser) *Tail { return &Tail{body: body, sc: bufio.NewScanner(body)} }

// Follow returns a Tail whose context has ended.
func (h *Harbour) Follow(ctx context.Context, gauge string) (*Tail, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // want "before the body is read"
	resp, err := h.open(ctx, "/gauges/"+gauge+"/follow", "application/x-ndjson")
	if err != nil {
		return nil, err
	}
	return newTail(resp.Body), nil
}

// Readings returns an iterator that reads when Readings has returned.
func (h *Harbour) Readings(ctx context.Context, gauge string) (iter.Seq2[Reading, error], error) {
	ctx, cancel := context.WithTimeout(ctx, h.wait)
	defer cancel() // want "before the body is read"
	resp, err := h.open(ctx, "/gauges/"+gauge+"/values", "application/x-ndjson")
	if err != nil {
		return nil, err
	}
	return readings(resp.Body), nil
}

// readings yields what is in a body.
func readings(body io.ReadCloser) iter.Seq2[Reading, error] {
	return func(yield func(Reading, error) bool) {
		defer body.Close()
		for dec := json.NewDecoder(body); dec.More(); {
			var r Reading
			err := dec.Decode(&r)
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}

// From here on: nothing to report.

// All opens and reads in the iterator.
func (h *Harbour) All(ctx context.Context, gauge string) iter.Seq2[Reading, error] {
	return func(yield func(Reading, error) bool) {
		ctx, cancel := context.WithTimeout(ctx, h.wait)
		defer cancel()
		resp, err := h.open(ctx, "/gauges/"+gauge+"/values", "application/x-ndjson")
		if err != nil {
			yield(Reading{}, err)
			return
		}
		for r, err := range readings(resp.Body) {
			if !yield(r, err) {
				return
			}
		}
	}
}

// Each reads under its context and hands out the pieces.
func (h *Harbour) Each(ctx context.Context, gauge string, fn func(string) error) error {
	ctx, cancel := context.WithTimeout(ctx, h.wait)
	defer cancel()
	resp, err := h.open(ctx, "/gauges/"+gauge+"/lines", "text/plain")
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	sc := bufio.NewScanner(resp.Body)
	for sc.Scan() {
		if err := fn(sc.Text()); err != nil {
			return err
		}
	}
	return sc.Err()
}

// Day collects the lines.
func (h *Harbour) Day(ctx context.Context, gauge string) (lines []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, h.wait)
	defer cancel()
	resp, err := h.open(ctx, "/gauges/"+gauge+"/day", "text/plain")
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	sc := bufio.NewScanner(resp.Body)
	for sc.Scan() {
		lines = append(lines, sc.Text())
	}
	return lines, sc.Err()
}

// Copy returns a scanner over memory.
func (h *Harbour) Copy(ctx context.Context, gauge string) (*bufio.Scanner, error) {
	ctx, cancel := context.WithTimeout(ctx, h.wait)
	defer cancel()
	resp, err := h.open(ctx, "/gauges/"+gauge+"/lines", "text/plain")
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	var buf bytes.Buffer
	if _, err := buf.ReadFrom(resp.Body); err != nil {
		return nil, err
	}
	return bufio.NewScanner(&buf), nil
}

// Held is a Tail that ends its context when it is closed.
type Held struct {
	*Tail
	stop context.CancelFunc
}

// Close ends both.
func (h *Held) Close() error {
	defer h.stop()
	return h.Tail.Close()
}

// Hold returns a Held.
func (h *Harbour) Hold(ctx context.Context, gauge string) (*Held, error) {
	ctx, cancel := context.WithCancel(ctx)
	resp, err := h.open(ctx, "/gauges/"+gauge+"/follow", "application/x-ndjson")
	if err != nil {
		cancel()
		return nil, err
	}
	return &Held{Tail: newTail(resp.Body), stop: cancel}, nil
}
