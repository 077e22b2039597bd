package requests

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// refused is how the issuer of permits says no.
type refused struct{ code int }

func (r *refused) Error() string { return fmt.Sprint("refused: ", r.code) }

// newPermit makes the request, ask sends it, retrieve repeats: only Permit, which
// calls two of them, knows that they are about one body.
func newPermit(at string, v url.Values) (*http.Request, error) {
	req, err := http.NewRequest(http.MethodPost, at, strings.NewReader(v.Encode()))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return req, nil
}

func ask(ctx context.Context, hc *http.Client, req *http.Request) (string, error) {
	resp, err := hc.Do(req.WithContext(ctx))
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		return "", &refused{resp.StatusCode}
	}
	b, err := io.ReadAll(resp.Body)
	return string(b), err
}

func retrieve(ctx context.Context, hc *http.Client, req *http.Request) (permit string, err error) {
	for range 4 {
		permit, err = ask(ctx, hc, req) // want "after a 5xx response or a 429 the request is sent again with a body that the first attempt has read"
		if err == nil {
			return permit, nil
		}
		if no, ok := err.(*refused); ok && (no.code == 429 || no.code >= 500) {
			continue
		}
		return "", err
	}
	return "", err
}

// Permit asks for one.
func Permit(ctx context.Context, hc *http.Client, at string, v url.Values) (string, error) {
	req, err := newPermit(at, v)
	if err != nil {
		return "", err
	}
	return retrieve(ctx, hc, req)
}
