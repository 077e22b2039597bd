// Package pay has one loop that sends again, among functions that do not.
package pay

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"
)

// Pay sends the order again.
func Pay(ctx context.Context, c *http.Client, url string, order []byte) error {
	err := errors.New("no attempt")
	for i := range 3 {
		if err = post(ctx, c, url, order); err == nil {
			return nil
		}
		time.Sleep(delay(i))
	}
	return err
}

func post(ctx context.Context, c *http.Client, url string, order []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(order))
	if err != nil {
		return err
	}
	resp, err := c.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

func delay(i int) time.Duration { return time.Duration(i) * time.Second }

// Ask sends once.
func Ask(c *http.Client, url string) error {
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// Total adds up.
func Total(amounts []string) (total int, err error) {
	for _, a := range amounts {
		n, err := strconv.Atoi(a)
		if err != nil {
			return 0, err
		}
		total += n
	}
	return total, nil
}
