// Package protocol repeats POSTs whose meaning the protocol tells: many of them
// read, or may be written twice.
package protocol

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
)

const form = "application/x-www-form-urlencoded"

var errNoAnswer = errors.New("no answer")

// API is a client of many services.
type API struct {
	hc   *http.Client
	base string
}

func sink(resp *http.Response) {
	if resp != nil {
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
}

func bad(resp *http.Response, err error) bool {
	return err != nil || resp.StatusCode >= 500
}

func (a *API) post(ctx context.Context, path string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	return a.hc.Do(req)
}

type call struct {
	Version string `json:"jsonrpc"`
	ID      int    `json:"id"`
	Method  string `json:"method"`
	Params  []any  `json:"params"`
}

type gql struct {
	Query     string         `json:"query"`
	Variables map[string]any `json:"variables,omitempty"`
}

func pack(v any) io.Reader {
	b, err := json.Marshal(v)
	if err != nil {
		return strings.NewReader("null")
	}
	return bytes.NewReader(b)
}
