// Package structs has streams in structs, which are read by methods.
package structs

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"time"
)

// Stream is read by Recv.
type Stream struct {
	resp *http.Response
	r    *bufio.Reader
}

func Open(url string) (*Stream, error) {
	resp, err := http.Get(url)
	if err != nil {
		return nil, err
	}
	return &Stream{resp, bufio.NewReader(resp.Body)}, nil
}

func (s *Stream) Recv() (string, error) {
	for {
		line, err := s.r.ReadString('\n') // want `this stream is read with no deadline`
		if err != nil {
			return "", err
		}
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			return data, nil
		}
	}
}

func (s *Stream) Close() error { return s.resp.Body.Close() }

// Rows is no event stream: its pieces are returned.
type Rows struct{ r *bufio.Scanner }

func Query(url string) (*Rows, error) {
	resp, err := http.Get(url)
	if err != nil {
		return nil, err
	}
	return &Rows{bufio.NewScanner(resp.Body)}, nil
}

func (r *Rows) Next() bool   { return r.r.Scan() }
func (r *Rows) Text() string { return r.r.Text() }
func (r *Rows) Err() error   { return r.r.Err() }

// Watched has a goroutine that watches over it.
type Watched struct {
	body io.ReadCloser
	r    *bufio.Reader
	beat chan struct{}
	stop context.CancelFunc
}

func OpenWatched(ctx context.Context, url string) (*Watched, error) {
	ctx, cancel := context.WithCancel(ctx)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		cancel()
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		cancel()
		return nil, err
	}
	w := &Watched{resp.Body, bufio.NewReader(resp.Body), make(chan struct{}, 1), cancel}
	go w.watch(ctx)
	return w, nil
}

func (w *Watched) watch(ctx context.Context) {
	for {
		select {
		case <-w.beat:
		case <-ctx.Done():
			return
		case <-time.After(time.Minute):
			w.stop()
			return
		}
	}
}

func (w *Watched) Recv() (string, error) {
	for {
		line, err := w.r.ReadString('\n')
		if err != nil {
			return "", err
		}
		select {
		case w.beat <- struct{}{}:
		default:
		}
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			return data, nil
		}
	}
}
