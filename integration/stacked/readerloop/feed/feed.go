// Package feed reads timetables and does not give up at once.
package feed

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
)

// A Reader reads from one server.
type Reader struct {
	client   *http.Client
	base     string
	attempts int
}

// NewReader returns a Reader of the server at base.
func NewReader(base string) *Reader {
	return &Reader{client: &http.Client{Timeout: 10 * time.Second}, base: base, attempts: 3}
}

// Read returns the timetable of a stop.
func (r *Reader) Read(ctx context.Context, stop string) ([]byte, error) {
	var failure error
	for n := 0; n < r.attempts; n++ {
		table, err := r.once(ctx, stop)
		if err == nil {
			return table, nil
		}
		failure = err
		time.Sleep(time.Millisecond)
	}
	return nil, failure
}

func (r *Reader) once(ctx context.Context, stop string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.base+"/stops/"+stop, nil)
	if err != nil {
		return nil, err
	}
	resp, err := r.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("stop %s: %s", stop, resp.Status)
	}
	return io.ReadAll(resp.Body)
}
