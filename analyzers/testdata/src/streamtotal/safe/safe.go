// Package safe has total timeouts where they belong.
package safe

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"time"
)

func request(ctx context.Context, url string) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "text/event-stream")
	return req, nil
}

// both has an idle deadline, and a total one as the cap.
func both(ctx context.Context, url string, on func(string)) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	req, err := request(ctx, url)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	dog := time.AfterFunc(time.Minute, cancel)
	defer dog.Stop()
	sc := bufio.NewScanner(resp.Body)
	for sc.Scan() {
		if data, ok := strings.CutPrefix(sc.Text(), "data: "); ok {
			dog.Reset(time.Minute)
			on(data)
		}
	}
	return sc.Err()
}

// whole reads the answer in one piece.
func whole(url string) ([]byte, error) {
	c := &http.Client{Timeout: time.Minute}
	req, err := request(context.Background(), url)
	if err != nil {
		return nil, err
	}
	resp, err := c.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return io.ReadAll(resp.Body)
}

// download is a document, read line by line, under a total timeout.
func download(url string, on func(string)) error {
	c := &http.Client{Timeout: time.Minute}
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	sc := bufio.NewScanner(resp.Body)
	for sc.Scan() {
		on(sc.Text())
	}
	return sc.Err()
}

// Two has a client for each: the one with the timeout reads no stream.
type Two struct{ calls, streams *http.Client }

func New() *Two {
	return &Two{calls: &http.Client{Timeout: time.Minute}, streams: &http.Client{}}
}

func (t *Two) send(ctx context.Context, url string, stream bool) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	hc := t.calls
	if stream {
		hc = t.streams
		req.Header.Set("Accept", "text/event-stream")
	}
	return hc.Do(req)
}

func (t *Two) Call(ctx context.Context, url string) ([]byte, error) {
	resp, err := t.send(ctx, url, false)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return io.ReadAll(resp.Body)
}

// Stream has a watchdog of its own.
func (t *Two) Stream(ctx context.Context, url string, on func(string)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	resp, err := t.send(ctx, url, true)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	dog := time.AfterFunc(time.Minute, cancel)
	defer dog.Stop()
	sc := bufio.NewScanner(resp.Body)
	for sc.Scan() {
		dog.Reset(time.Minute)
		on(sc.Text())
	}
	return sc.Err()
}

// submit has a deadline of its own, and the stream has none of it.
func submit(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	req, err := request(ctx, url)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}
