// Package safe has a local language model summarise the harbour log, like package
// risky. Its client has no timeout: each stream has three budgets, and only the
// last of them bounds how long a good summary may take.
package safe

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/resiliencevet/resiliencevet/resilience"
)

// Clerk summarises.
type Clerk struct {
	hc      *http.Client
	base    string
	budgets resilience.StreamOptions
}

// New returns the Clerk behind the API at base.
func New(rt http.RoundTripper, base string) *Clerk {
	return &Clerk{hc: &http.Client{Transport: rt}, base: base, budgets: resilience.StreamOptions{
		FirstToken: time.Minute, // it thinks for long
		Idle:       15 * time.Second,
		Deadline:   10 * time.Minute,
	}}
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type request struct {
	Model    string    `json:"model"`
	Messages []message `json:"messages"`
}

type chunk struct {
	Message message `json:"message"`
	Done    bool    `json:"done"`
}

// last says which line is the last. A line with an error is known by itself.
var last = resilience.Rules[chunk]{Done: func(c chunk) bool { return c.Done }}

// Summarise writes a summary of log to w. After an error, what was written is a
// part of it.
func (c *Clerk) Summarise(ctx context.Context, log string, w io.Writer) error {
	body, err := json.Marshal(request{Model: "llama", Messages: []message{{"user", "Summarise this log:\n" + log}}})
	if err != nil {
		return err
	}
	stream, err := resilience.NewStream(ctx, c.budgets)
	if err != nil {
		return err
	}
	defer stream.Close()
	req, err := http.NewRequestWithContext(stream.Context(), http.MethodPost, c.base+"/api/chat", bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/x-ndjson")
	resp, err := c.hc.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("model answered %s", resp.Status)
	}
	for next, err := range resilience.NDJSON(stream, resp.Body, last) {
		if err != nil {
			return err
		}
		if _, err := io.WriteString(w, next.Message.Content); err != nil {
			return err
		}
	}
	return nil
}
