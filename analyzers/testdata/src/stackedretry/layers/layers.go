// Package layers has retries around retries in one package.
package layers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/hardy/persist"
)

var errBusy = errors.New("busy")

// read asks up to four times.
func read(ctx context.Context, url string) ([]byte, error) {
	var last error
	for range 4 {
		b, status, err := readOnce(ctx, url)
		switch {
		case err == nil && status < 500:
			return b, nil
		case err == nil:
			err = fmt.Errorf("status %d", status)
		}
		last = err
		time.Sleep(time.Second)
	}
	return nil, last
}

func readOnce(ctx context.Context, url string) ([]byte, int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, 0, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, 0, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return b, resp.StatusCode, err
}

func tides(ctx context.Context) (b []byte, err error) {
	for i := 0; i < 3; i++ {
		if b, err = read(ctx, "https://tides.example/today"); err == nil { // want `up to 3 × 4 = 12 requests for one call: tides tries again what read has already tried again, after a timeout, a connection reset or a 5xx response; leave the retry to one of them`
			return b, nil
		}
	}
	return nil, err
}

// twice is a helper that does not know what it is given.
func twice(op func() error) (err error) {
	for range 2 {
		if err = op(); err == nil {
			return nil
		}
	}
	return err
}

func swell(ctx context.Context) error {
	return twice(func() error {
		_, err := read(ctx, "https://swell.example/today") // want `up to 2 × 4 = 8 requests for one call: twice tries again what read has`
		return err
	})
}

// A helper around itself.
func nested(ctx context.Context) error {
	return twice(func() error {
		return twice(func() error {
			_, _, err := readOnce(ctx, "https://foam.example") // want `up to 2 × 2 = 4 requests for one call`
			return err
		})
	})
}

// A retry, and one more when it has given up, is five requests: no loop, but a layer.
func once(ctx context.Context) ([]byte, error) {
	b, err := read(ctx, "https://spray.example")
	if err != nil {
		return read(ctx, "https://spray.example") // want `up to 2 × 4 = 8 requests`
	}
	return b, nil
}

// The number of rounds is the caller's affair: then no number is said.
func many(ctx context.Context, rounds int) (err error) {
	for range rounds {
		if _, err = read(ctx, "https://ebb.example"); err == nil { // want `retries multiply: many tries again what read has already tried again, after`
			return nil
		}
	}
	return err
}

// Silent: success goes round as well.
func watch(ctx context.Context) error {
	for {
		b, err := read(ctx, "https://gulls.example")
		if err != nil {
			fmt.Println(err)
		}
		fmt.Println(len(b))
		time.Sleep(time.Minute)
	}
}

// Silent: another address each time.
func anyOf(ctx context.Context, hosts []string) (b []byte, err error) {
	for _, h := range hosts {
		if b, err = read(ctx, "https://"+h+"/today"); err == nil {
			return b, nil
		}
	}
	return nil, err
}

// calm tries again after 429 only.
func calm(ctx context.Context, url string) (int, error) {
	for {
		_, status, err := readOnce(ctx, url)
		if err != nil || status != http.StatusTooManyRequests {
			return status, err
		}
		time.Sleep(time.Second)
	}
}

// Silent: the two try again after different answers.
func conflicts(ctx context.Context) error {
	for range 3 {
		status, err := calm(ctx, "https://moor.example")
		if err != nil {
			return err
		}
		if status != http.StatusConflict {
			return nil
		}
	}
	return errBusy
}

// Silent: what is left of one budget goes down to the one who spends it.
func budget(ctx context.Context) (err error) {
	left := 5
	for left > 0 {
		var used int
		used, err = spend(ctx, left)
		if err == nil {
			return nil
		}
		left -= used
	}
	return err
}

func spend(ctx context.Context, left int) (used int, err error) {
	for used < left && used < 3 {
		used++
		if _, _, err = readOnce(ctx, "https://buoy.example"); err == nil {
			return used, nil
		}
	}
	return used, err
}

// One layer is switched off.
func off(ctx context.Context) (err error) {
	c := persist.New()
	c.Max = 0
	for range 3 {
		var resp *http.Response
		if resp, err = c.Standard().Get("https://keel.example"); err == nil {
			return resp.Body.Close()
		}
	}
	return err
}

func on(ctx context.Context) (err error) {
	c := persist.New()
	c.Max = 1
	h := c.Standard()
	for range 3 {
		var resp *http.Response
		if resp, err = h.Get("https://keel.example"); err == nil { // want `up to 3 × 2 = 6 requests for one call: on tries again what persist.RoundTripper.RoundTrip \(github.com/hardy/persist/persist.go:\d+\) has already tried again`
			return resp.Body.Close()
		}
	}
	return err
}

// That an operation may be repeated does not make it less.
func order(ctx context.Context, op string) (err error) {
	c := persist.New()
	c.Max = 1
	for range 2 {
		var resp *http.Response
		//resiliencevet:idempotent the harbour knows the number of an order again
		if resp, err = c.Standard().Post("https://berth.example/"+op, "text/plain", nil); err == nil { // want `up to 2 × 2 = 4 requests for one call`
			return resp.Body.Close()
		}
	}
	return err
}
