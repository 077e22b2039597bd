package layers

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"time"
)

// Plain repeats every request.
type Plain struct{ Next http.RoundTripper }

func (t *Plain) RoundTrip(req *http.Request) (*http.Response, error) {
	for n := 0; ; n++ {
		r, err := reopen(req)
		if err != nil {
			return nil, err
		}
		resp, err := t.Next.RoundTrip(r) // want "any method"
		if n == 3 || !flaky(resp, err) {
			return resp, err
		}
		toss(resp)
		if err := rest(req.Context(), n); err != nil {
			return nil, err
		}
	}
}

// Embedded promotes the RoundTrip that it calls.
type Embedded struct {
	http.RoundTripper
	tries int
}

func (t Embedded) RoundTrip(req *http.Request) (resp *http.Response, err error) {
	for i := 0; i < t.tries; i++ {
		resp, err = t.RoundTripper.RoundTrip(req) // want "any method"
		if err == nil {
			return resp, nil
		}
	}
	return nil, err
}

// OverClient retries over a client, not a transport.
type OverClient struct{ hc *http.Client }

func (t OverClient) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.hc.Do(req)
	for i := 0; i < 2 && flaky(resp, err); i++ {
		toss(resp)
		resp, err = t.hc.Do(req) // want "any method"
	}
	return resp, err
}

// hidden is not exported, but a transport all the same.
type hidden struct{ next http.RoundTripper }

func (t hidden) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	for n := range 3 {
		req.Body = io.NopCloser(bytes.NewReader(body))
		resp, err := t.next.RoundTrip(req) // want "POST is sent again"
		if !flaky(resp, err) {
			return resp, err
		}
		toss(resp)
		time.Sleep(time.Duration(n) * time.Second)
	}
	return nil, errShelf
}

// NewHTTPClient puts hidden under a client.
func NewHTTPClient() *http.Client {
	return &http.Client{Transport: hidden{next: http.DefaultTransport}}
}

// Order posts through that client; the report stands at the re-send only.
func Order(base string, book []byte) error {
	return fail(NewHTTPClient().Post(base+"/orders", "application/json", bytes.NewReader(book)))
}

// tripper makes a transport of a function.
type tripper func(*http.Request) (*http.Response, error)

func (f tripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// Repeating wraps a transport by a closure.
func Repeating(next http.RoundTripper, max int) http.RoundTripper {
	return tripper(func(req *http.Request) (*http.Response, error) {
		for n := 0; ; n++ {
			resp, err := next.RoundTrip(req.Clone(req.Context())) // want "any method"
			if n >= max || !flaky(resp, err) {
				return resp, err
			}
			toss(resp)
		}
	})
}

// Split keeps its loop in a method of its own.
type Split struct{ next http.RoundTripper }

func (t *Split) RoundTrip(req *http.Request) (*http.Response, error) { return t.loop(req) }

func (t *Split) loop(req *http.Request) (*http.Response, error) {
	for n := 0; ; n++ {
		resp, err := t.next.RoundTrip(req) // want "any method"
		if n == 2 || !flaky(resp, err) {
			return resp, err
		}
		toss(resp)
	}
}

// AsksResponse decides by the method of the response, and there is none when
// the connection died: a POST goes round then.
type AsksResponse struct{ next http.RoundTripper }

func onlyReads(resp *http.Response, err error) bool {
	if resp != nil && resp.Request.Method != http.MethodGet {
		return false
	}
	return flaky(resp, err)
}

func (t *AsksResponse) RoundTrip(req *http.Request) (*http.Response, error) {
	for n := 0; ; n++ {
		resp, err := t.next.RoundTrip(req) // want "any method"
		if n == 3 || !onlyReads(resp, err) {
			return resp, err
		}
		toss(resp)
	}
}

// WrongList lets POST through by name.
type WrongList struct{ next http.RoundTripper }

func (t *WrongList) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method != http.MethodGet && req.Method != http.MethodPost {
		return t.next.RoundTrip(req)
	}
	for n := 0; ; n++ {
		resp, err := t.next.RoundTrip(req) // want "any method|POST"
		if n == 3 || !flaky(resp, err) {
			return resp, err
		}
		toss(resp)
	}
}

// BodyOnly asks whether the body can be opened again, which says nothing about
// the operation.
type BodyOnly struct{ next http.RoundTripper }

func (t *BodyOnly) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil && req.GetBody == nil {
		return t.next.RoundTrip(req)
	}
	for n := 0; ; n++ {
		r, err := reopen(req)
		if err != nil {
			return nil, err
		}
		resp, err := t.next.RoundTrip(r) // want "any method"
		if n == 3 || !flaky(resp, err) {
			return resp, err
		}
		toss(resp)
	}
}

// LogsKey reads the key only to print it.
type LogsKey struct{ next http.RoundTripper }

func (t *LogsKey) RoundTrip(req *http.Request) (*http.Response, error) {
	for n := 0; ; n++ {
		println("attempt", n, req.Method, req.Header.Get(keyHeader))
		resp, err := t.next.RoundTrip(req) // want "any method"
		if n == 3 || !flaky(resp, err) {
			return resp, err
		}
		toss(resp)
	}
}

// Do is an exported helper over a client.
func Do(hc *http.Client, req *http.Request) (*http.Response, error) {
	var err error
	for i := 0; i < 3; i++ {
		var resp *http.Response
		resp, err = hc.Do(req) // want "any method"
		if err == nil && resp.StatusCode != http.StatusServiceUnavailable {
			return resp, nil
		}
		toss(resp)
	}
	return nil, err
}

// Catalogue is a client with a Do of its own.
type Catalogue struct {
	hc   *http.Client
	base string
}

// Do is an exported method.
func (c *Catalogue) Do(req *http.Request) (*http.Response, error) {
	for n := range 4 {
		resp, err := c.hc.Do(req) // want "any method"
		if !flaky(resp, err) {
			return resp, err
		}
		toss(resp)
		if rest(req.Context(), n) != nil {
			break
		}
	}
	return nil, errShelf
}

// Send gets the method as a string.
func (c *Catalogue) Send(ctx context.Context, method, path string, body []byte) error {
	for n := range 4 {
		req, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
		if err != nil {
			return err
		}
		resp, err := c.hc.Do(req) // want "any method"
		if !flaky(resp, err) {
			return fail(resp, err)
		}
		toss(resp)
		if err := rest(ctx, n); err != nil {
			return err
		}
	}
	return errShelf
}

// Recall takes a function that builds the request anew.
func (c *Catalogue) Recall(build func() (*http.Request, error)) (*http.Response, error) {
	for n := 0; ; n++ {
		req, err := build()
		if err != nil {
			return nil, err
		}
		resp, err := c.hc.Do(req) // want "any method"
		if n == 2 || !flaky(resp, err) {
			return resp, err
		}
		toss(resp)
	}
}

// persist is not exported, and Lend gives it a POST.
func (c *Catalogue) persist(req *http.Request) (*http.Response, error) {
	for n := 0; ; n++ {
		resp, err := c.hc.Do(req) // want "any method|POST"
		if n == 2 || !flaky(resp, err) {
			return resp, err
		}
		toss(resp)
	}
}

// Lend writes.
func (c *Catalogue) Lend(ctx context.Context, id string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/books/"+id+"/loans", nil)
	if err != nil {
		return err
	}
	return fail(c.persist(req))
}

// Look reads through the same helper.
func (c *Catalogue) Look(ctx context.Context, id string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+"/books/"+id, nil)
	if err != nil {
		return err
	}
	return fail(c.persist(req))
}

// stubborn is two calls below the one that writes.
func stubborn(hc *http.Client, req *http.Request) (resp *http.Response, err error) {
	for range 3 {
		if resp, err = hc.Do(req); err == nil { // want "any method|POST"
			return
		}
	}
	return
}

func (c *Catalogue) write(ctx context.Context, path, text string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+path+"?text="+url.QueryEscape(text), nil)
	if err != nil {
		return err
	}
	req.Header.Set("Accept", "application/json")
	return fail(stubborn(c.hc, req))
}

// Review writes through write and stubborn.
func (c *Catalogue) Review(ctx context.Context, id, text string) error {
	return c.write(ctx, "/books/"+id+"/reviews", text)
}

// doer joins the send and the retry by an interface.
type doer interface {
	Do(*http.Request) (*http.Response, error)
}

type stubbornDoer struct {
	next doer
	max  int
}

func (s *stubbornDoer) Do(req *http.Request) (*http.Response, error) {
	for n := 1; ; n++ {
		resp, err := s.next.Do(req) // want "any method|POST"
		if n >= s.max || !flaky(resp, err) {
			return resp, err
		}
		toss(resp)
		if werr := rest(req.Context(), n); werr != nil {
			return nil, werr
		}
	}
}

// Branch is a client of a branch library; it knows only the interface.
type Branch struct {
	d    doer
	base string
}

// NewBranch builds it.
func NewBranch(base string) *Branch {
	return &Branch{base: base, d: &stubbornDoer{next: http.DefaultClient, max: 4}}
}

// Reserve writes.
func (b *Branch) Reserve(id string) error {
	req, err := http.NewRequest(http.MethodPost, b.base+"/reservations/"+id, nil)
	if err != nil {
		return err
	}
	return fail(b.d.Do(req))
}
