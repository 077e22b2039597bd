// Package risky bounds streams by one total timeout.
package risky

import (
	"bufio"
	"context"
	"fmt"
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

// Client keeps its client in a field.
type Client struct{ hc *http.Client }

func New() *Client {
	return &Client{hc: &http.Client{Timeout: 30 * time.Second}} // want `one total timeout \(http.Client.Timeout\) covers a whole stream: a healthy answer that takes longer than 30s is cut off`
}

func (c *Client) Ask(ctx context.Context, url string) (string, error) {
	req, err := request(ctx, url)
	if err != nil {
		return "", err
	}
	resp, err := c.hc.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	var b strings.Builder
	sc := bufio.NewScanner(resp.Body)
	for sc.Scan() {
		b.WriteString(sc.Text())
	}
	return b.String(), sc.Err()
}

// deadline is on the request's context, and covers two reads with one report.
func deadline(url string, on func(string)) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute) // want `one total timeout \(context.WithTimeout\) covers a whole stream: a healthy answer that takes longer than 1m0s`
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
	r := bufio.NewReader(resp.Body)
	for {
		line, err := r.ReadString('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		on(line)
	}
}

// until has a deadline whose length is not known.
func until(t time.Time, url string, on func(string)) error {
	ctx, cancel := context.WithDeadline(context.Background(), t) // want `one total timeout \(context.WithDeadline\) covers a whole stream: a healthy answer that takes longer is cut off`
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
	return read(resp.Body, on)
}

func read(r io.Reader, on func(string)) error {
	sc := bufio.NewScanner(r)
	for sc.Scan() {
		if data, ok := strings.CutPrefix(sc.Text(), "data: "); ok {
			on(data)
		}
	}
	return sc.Err()
}

// setLater sets the timeout of a client that is a value.
func setLater(url string, on func(string)) error {
	var c http.Client
	c.Timeout = 5 * time.Minute // want `longer than 5m0s is cut off`
	req, err := request(context.Background(), url)
	if err != nil {
		return err
	}
	resp, err := c.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return read(resp.Body, on)
}

// never renews its watchdog.
func never(ctx context.Context, url string, on func(string)) error {
	ctx, cancel := context.WithCancel(ctx)
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
	dog := time.AfterFunc(time.Minute, cancel) // want `one total timeout \(a timer that nothing renews\) covers a whole stream`
	defer dog.Stop()
	return read(resp.Body, on)
}

// helper opens a stream under a client of the package.
var shared = shorter()

func shorter() *http.Client {
	return &http.Client{Timeout: 20 * time.Second} // want `longer than 20s is cut off`
}

func open(url string) (io.ReadCloser, error) {
	resp, err := shared.Get(url)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		resp.Body.Close()
		return nil, fmt.Errorf("%s", resp.Status)
	}
	return resp.Body, nil
}

func opened(url string, on func(string)) error {
	rc, err := open(url)
	if err != nil {
		return err
	}
	defer rc.Close()
	return read(rc, on)
}
