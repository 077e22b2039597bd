// Package risky votes through a client that was made for reading: when an answer
// is slow, it sends the request a second time.
package risky

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

// New returns the Poll at base. Requests that take longer than 50 ms get a copy.
func New(under http.RoundTripper, base string) *Poll {
	hedge := hedgepolicy.NewBuilderWithDelay[*http.Response](50 * time.Millisecond).WithMaxHedges(1).Build()
	return &Poll{hc: &http.Client{Transport: failsafehttp.NewRoundTripper(under, hedge)}, base: base}
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
