// Package risky has a local language model summarise the harbour log, and writes
// the summary out as it comes. Its client gives every exchange a minute: a good
// summary that takes longer is cut off, and one that stalls takes the whole minute.
package risky

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// Clerk summarises.
type Clerk struct {
	hc   *http.Client
	base string
}

// New returns the Clerk behind the API at base.
func New(rt http.RoundTripper, base string) *Clerk {
	return &Clerk{hc: &http.Client{Transport: rt, Timeout: time.Minute}, base: base}
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
	Error   string  `json:"error"`
}

// Summarise writes a summary of log to w.
func (c *Clerk) Summarise(ctx context.Context, log string, w io.Writer) error {
	body, err := json.Marshal(request{Model: "llama", Messages: []message{{"user", "Summarise this log:\n" + log}}})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/api/chat", bytes.NewReader(body))
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
	lines := bufio.NewReader(resp.Body)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return io.ErrUnexpectedEOF // the last line says that it is the last
		}
		if err != nil {
			return err
		}
		var next chunk
		if err := json.Unmarshal(line, &next); err != nil {
			return fmt.Errorf("piece of a summary: %w", err)
		}
		if next.Error != "" {
			return errors.New(next.Error)
		}
		if _, err := io.WriteString(w, next.Message.Content); err != nil {
			return err
		}
		if next.Done {
			return nil
		}
	}
}
