// Package safe ends what it gives up on.
package safe

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

var errStalled = errors.New("stalled")

func read(body io.ReadCloser, lines chan<- string) {
	defer close(lines)
	sc := bufio.NewScanner(body)
	for sc.Scan() {
		lines <- sc.Text()
	}
	_ = sc.Err()
}

func cancelled(ctx context.Context, url string, on func(string)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	lines := make(chan string)
	go read(resp.Body, lines)
	for {
		select {
		case l, ok := <-lines:
			if !ok {
				return nil
			}
			on(l)
		case <-time.After(time.Minute):
			return errStalled
		}
	}
}

func closed(url string, on func(string)) error {
	resp, err := http.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	lines := make(chan string)
	go read(resp.Body, lines)
	for {
		select {
		case l, ok := <-lines:
			if !ok {
				return nil
			}
			on(l)
		case <-time.After(time.Minute):
			return errStalled
		}
	}
}

// deadline gives the request one.
func deadline(url string, on func(string)) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	lines := make(chan string)
	go read(resp.Body, lines)
	for {
		select {
		case l, ok := <-lines:
			if !ok {
				return nil
			}
			on(l)
		case <-time.After(time.Minute):
			return errStalled
		}
	}
}
