// Package risky gives up on streams and leaves their readers running.
package risky

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

var errStalled = errors.New("stalled")

func afterwards(ctx context.Context, url string, on func(string)) error {
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
		case <-time.After(time.Minute): // want `when this deadline expires, the goroutine that reads the stream goes on`
			return errStalled
		}
	}
}

func read(body io.ReadCloser, lines chan<- string) {
	defer close(lines)
	defer body.Close()
	sc := bufio.NewScanner(body)
	for sc.Scan() {
		lines <- sc.Text()
	}
	_ = sc.Err()
}

// timer has one that it renews, for the one who waits only.
func timer(url string, on func(string)) error {
	resp, err := http.Get(url)
	if err != nil {
		return err
	}
	lines := make(chan string)
	go read(resp.Body, lines)
	t := time.NewTimer(time.Minute)
	defer t.Stop()
	for {
		select { // want `when this deadline expires, the goroutine that reads the stream goes on`
		case l, ok := <-lines:
			if !ok {
				return nil
			}
			t.Reset(time.Minute)
			on(l)
		case <-t.C:
			return errStalled
		}
	}
}
