// Package safe votes through a client that sends a second request only when a slow
// one reads.
package safe

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/failsafe-go/failsafe-go/failsafehttp"
	"github.com/failsafe-go/failsafe-go/hedgepolicy"
)

// Poll is a client of a polling station.
type Poll struct {
	hc   *http.Client
	base string
}

// readsOnly lets requests that read through to what hedges.
type readsOnly struct{ hedged, plain http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (t readsOnly) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return t.hedged.RoundTrip(r)
	}
	return t.plain.RoundTrip(r)
}

// New returns the Poll at base. Reads that take longer than 50 ms get a copy.
func New(under http.RoundTripper, base string) *Poll {
	hedge := hedgepolicy.NewBuilderWithDelay[*http.Response](50 * time.Millisecond).WithMaxHedges(1).Build()
	rt := readsOnly{hedged: failsafehttp.NewRoundTripper(under, hedge), plain: under}
	return &Poll{hc: &http.Client{Transport: rt}, base: base}
}

// Count returns how many votes a question has.
func (p *Poll) Count(ctx context.Context, question string) (n int, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.base+"/polls/"+url.PathEscape(question), nil)
	if err != nil {
		return 0, err
	}
	resp, err := p.hc.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	_, err = fmt.Fscan(resp.Body, &n)
	return n, err
}

// Vote adds one vote.
func (p *Poll) Vote(ctx context.Context, question string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.base+"/polls/"+url.PathEscape(question)+"/votes", nil)
	if err != nil {
		return err
	}
	resp, err := p.hc.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusCreated {
		return errors.New("polls answered " + resp.Status)
	}
	return nil
}
