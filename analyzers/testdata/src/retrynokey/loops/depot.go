// Package loops books a parcel once more in every shape that a loop can take.
// Each function sends the same POST after an attempt that may have worked.
package loops

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"time"
)

const mime = "application/json"

var errGaveUp = errors.New("parcel not booked")

// Depot books parcels.
type Depot struct {
	hc     *http.Client
	base   string
	tries  int
	budget time.Duration
}

// doze waits before the next round, or until the caller leaves.
func doze(ctx context.Context, round int) error {
	t := time.NewTimer(time.Duration(round+1) * 150 * time.Millisecond)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// discard gives the connection back.
func discard(resp *http.Response) {
	if resp != nil {
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
}

// gateway says whether a proxy on the way answered for the depot.
func gateway(code int) bool {
	switch code {
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	default:
		return false
	}
}

// worthAnother is the usual predicate over both results.
func worthAnother(resp *http.Response, err error) bool {
	if err != nil {
		return true
	}
	return resp.StatusCode >= http.StatusInternalServerError
}

// outcome makes an error of a status.
func outcome(resp *http.Response, err error) error {
	if err != nil {
		return err
	}
	if resp.StatusCode > 299 {
		return fmt.Errorf("depot answered %d", resp.StatusCode)
	}
	return nil
}

// left says whether the policy of the depot allows one more round.
func (d *Depot) left(round int) bool { return round < d.tries }

// rounds yields the numbers of attempts, with a pause between them.
func rounds(ctx context.Context, n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range n {
			if i > 0 && doze(ctx, i) != nil {
				return
			}
			if !yield(i) {
				return
			}
		}
	}
}

// spans yields an attempt number with the time it may take.
func spans(n int) iter.Seq2[int, time.Duration] {
	return func(yield func(int, time.Duration) bool) {
		for i := range n {
			if !yield(i, time.Duration(i+1)*time.Second) {
				return
			}
		}
	}
}
