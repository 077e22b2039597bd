// Package rewinds sends seismograms. Something is done about the body between
// the attempts; it helps, or it does not.
package rewinds

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/ioutil"
	"mime/multipart"
	"net/http"
	"os"
	"strings"
	"time"
)

var errLost = errors.New("seismogram lost")

// Station sends seismograms.
type Station struct {
	hc  *http.Client
	url string
	key string
}

func (s *Station) ok(req *http.Request) bool {
	req.Header.Set("Idempotency-Key", s.key)
	resp, err := s.hc.Do(req)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	return resp.StatusCode < 300
}

// Seek goes back to the beginning in each round.
func (s *Station) Seek(ctx context.Context, f io.ReadSeeker) error {
	for range 3 {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return err
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, io.NopCloser(f))
		if err != nil {
			return err
		}
		if s.ok(req) {
			return nil
		}
	}
	return errLost
}

// SeekOnce goes back before the loop.
func (s *Station) SeekOnce(ctx context.Context, f io.ReadSeeker) error {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	for range 3 {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, io.NopCloser(f)) // want `body`
		if err != nil {
			return err
		}
		if s.ok(req) {
			return nil
		}
	}
	return errLost
}

// SeekAfter goes back when an attempt has failed.
func (s *Station) SeekAfter(ctx context.Context, f io.ReadSeeker) error {
	for n := 0; ; n++ {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, io.NopCloser(f))
		if err != nil {
			return err
		}
		if s.ok(req) {
			return nil
		}
		if n == 2 {
			return errLost
		}
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return err
		}
		time.Sleep(time.Second)
	}
}

// SeekOther goes back in another file than the one that is sent.
func (s *Station) SeekOther(ctx context.Context, f, index *os.File) error {
	for range 3 {
		if _, err := index.Seek(0, io.SeekStart); err != nil {
			return err
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, io.NopCloser(f)) // want `body`
		if err != nil {
			return err
		}
		if s.ok(req) {
			return nil
		}
	}
	return errLost
}

// Length asks where the file ends, which is no way back.
func (s *Station) Length(ctx context.Context, f *os.File) error {
	for range 3 {
		info, err := f.Stat()
		if err != nil {
			return err
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, io.NopCloser(f)) // want `body`
		if err != nil {
			return err
		}
		req.ContentLength = info.Size()
		if s.ok(req) {
			return nil
		}
	}
	return errLost
}

// ResetReader points the reader to the bytes again.
func (s *Station) ResetReader(ctx context.Context, data []byte) error {
	rd := new(bytes.Reader)
	for range 3 {
		rd.Reset(data)
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, rd)
		if err != nil {
			return err
		}
		if s.ok(req) {
			return nil
		}
	}
	return errLost
}

// ResetBuffer empties the buffer and fills it again.
func (s *Station) ResetBuffer(ctx context.Context, v any) error {
	var buf bytes.Buffer
	for range 3 {
		buf.Reset()
		if err := json.NewEncoder(&buf).Encode(v); err != nil {
			return err
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, &buf)
		if err != nil {
			return err
		}
		if s.ok(req) {
			return nil
		}
	}
	return errLost
}

// FilledOnce fills it before the loop.
func (s *Station) FilledOnce(ctx context.Context, v any) error {
	var buf bytes.Buffer
	if err := json.NewEncoder(&buf).Encode(v); err != nil {
		return err
	}
	for range 3 {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, &buf) // want `body`
		if err != nil {
			return err
		}
		if s.ok(req) {
			return nil
		}
	}
	return errLost
}

// Zipped compresses before the loop, into a buffer that the first attempt drains.
func (s *Station) Zipped(ctx context.Context, data []byte) error {
	buf := new(bytes.Buffer)
	zw := gzip.NewWriter(buf)
	if _, err := zw.Write(data); err != nil {
		return err
	}
	if err := zw.Close(); err != nil {
		return err
	}
	for n := range 4 {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, buf) // want `body`
		if err != nil {
			return err
		}
		req.Header.Set("Content-Encoding", "gzip")
		if s.ok(req) {
			return nil
		}
		time.Sleep(time.Second << n)
	}
	return errLost
}

// ZippedBytes keeps what it compressed.
func (s *Station) ZippedBytes(ctx context.Context, data []byte) error {
	buf := new(bytes.Buffer)
	zw := gzip.NewWriter(buf)
	if _, err := zw.Write(data); err != nil {
		return err
	}
	if err := zw.Close(); err != nil {
		return err
	}
	packed := buf.Bytes()
	for n := range 4 {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(packed))
		if err != nil {
			return err
		}
		req.Header.Set("Content-Encoding", "gzip")
		if s.ok(req) {
			return nil
		}
		time.Sleep(time.Second << n)
	}
	return errLost
}

// Form writes the parts before the loop.
func (s *Station) Form(ctx context.Context, name string, data []byte) error {
	var buf bytes.Buffer
	mw := multipart.NewWriter(&buf)
	part, err := mw.CreateFormFile("trace", name)
	if err != nil {
		return err
	}
	if _, err := part.Write(data); err != nil {
		return err
	}
	if err := mw.Close(); err != nil {
		return err
	}
	for range 3 {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, &buf) // want `body`
		if err != nil {
			return err
		}
		req.Header.Set("Content-Type", mw.FormDataContentType())
		if s.ok(req) {
			return nil
		}
	}
	return errLost
}

// FormInside writes them for each attempt.
func (s *Station) FormInside(ctx context.Context, name string, data []byte) error {
	for range 3 {
		var buf bytes.Buffer
		mw := multipart.NewWriter(&buf)
		part, err := mw.CreateFormFile("trace", name)
		if err != nil {
			return err
		}
		if _, err := part.Write(data); err != nil {
			return err
		}
		if err := mw.Close(); err != nil {
			return err
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, &buf)
		if err != nil {
			return err
		}
		req.Header.Set("Content-Type", mw.FormDataContentType())
		if s.ok(req) {
			return nil
		}
	}
	return errLost
}

// Checked calls GetBody, and drops what it returns.
func (s *Station) Checked(ctx context.Context, data string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, strings.NewReader(data))
	if err != nil {
		return err
	}
	for range 3 {
		rc, err := req.GetBody()
		if err != nil {
			return err
		}
		_ = rc.Close()
		if s.ok(req) { // want `body`
			return nil
		}
	}
	return errLost
}

// OwnGetBody says how the body is opened again, and does it.
func (s *Station) OwnGetBody(ctx context.Context, name string) error {
	open := func() (io.ReadCloser, error) { return os.Open(name) }
	body, err := open()
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, body)
	if err != nil {
		return err
	}
	req.GetBody = open
	for n := range 3 {
		if n > 0 {
			if req.Body, err = req.GetBody(); err != nil {
				return err
			}
		}
		if s.ok(req) {
			return nil
		}
	}
	return errLost
}

// Teed wraps the same reader in each round, to count what is sent.
func (s *Station) Teed(ctx context.Context, data io.Reader, sent io.Writer) error {
	for range 3 {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, io.TeeReader(data, sent)) // want `body`
		if err != nil {
			return err
		}
		if s.ok(req) {
			return nil
		}
	}
	return errLost
}

// TeedAnew wraps a new one.
func (s *Station) TeedAnew(ctx context.Context, data []byte, sent io.Writer) error {
	for range 3 {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, io.TeeReader(bytes.NewReader(data), sent))
		if err != nil {
			return err
		}
		if s.ok(req) {
			return nil
		}
	}
	return errLost
}

// Rewindable asks what the body is, and repeats only what can be rewound.
func (s *Station) Rewindable(ctx context.Context, data io.Reader) error {
	seeker, again := data.(io.Seeker)
	for n := 0; ; n++ {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, io.NopCloser(data))
		if err != nil {
			return err
		}
		if s.ok(req) {
			return nil
		}
		if !again || n == 2 {
			return fmt.Errorf("%w after attempt %d", errLost, n+1)
		}
		if _, err := seeker.Seek(0, io.SeekStart); err != nil {
			return err
		}
	}
}

// Kept reads the body that it is given once, and winds the copy back after each
// attempt, through what keeps net/http from closing it.
func (s *Station) Kept(req *http.Request) error {
	var kept *bytes.Reader
	if req.Body != nil {
		all, err := io.ReadAll(req.Body)
		if err != nil {
			return err
		}
		kept = bytes.NewReader(all)
		req.Body = ioutil.NopCloser(kept) // the old name
	}
	for range 3 {
		ok := s.ok(req)
		if kept != nil {
			_, _ = kept.Seek(0, io.SeekStart)
		}
		if ok {
			return nil
		}
	}
	return errLost
}

// KeptOnce winds it back before the first attempt only.
func (s *Station) KeptOnce(req *http.Request) error {
	all, err := io.ReadAll(req.Body)
	if err != nil {
		return err
	}
	kept := bytes.NewReader(all)
	req.Body = io.NopCloser(kept)
	_, _ = kept.Seek(0, io.SeekStart)
	for range 3 {
		if s.ok(req) { // want "a body that the first attempt has read"
			return nil
		}
	}
	return errLost
}
