// Package settings chooses the timeout by options and in another struct.
package settings

import (
	"bufio"
	"net/http"
	"strings"
	"time"
)

type config struct{ timeout time.Duration }

type Option func(*config)

func WithTimeout(d time.Duration) Option { return func(c *config) { c.timeout = d } }

type Client struct{ hc *http.Client }

// New has a default that an option may change.
func New(opts ...Option) *Client {
	c := &config{timeout: 2 * time.Minute}
	for _, o := range opts {
		o(c)
	}
	return &Client{hc: &http.Client{Timeout: c.timeout}} // want `longer than 2m0s is cut off`
}

func (c *Client) Ask(url string, on func(string)) error {
	resp, err := c.hc.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	sc := bufio.NewScanner(resp.Body)
	for sc.Scan() {
		if data, ok := strings.CutPrefix(sc.Text(), "data:"); ok {
			on(data)
		}
	}
	return sc.Err()
}
