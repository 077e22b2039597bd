// Package risky asks a language model and shows its answer as it comes. The
// client has no timeout, because a good answer may take long; so nothing ends
// one that has stopped coming.
package risky

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Assistant answers the questions of passengers.
type Assistant struct {
	hc   *http.Client
	base string
}

// New returns the Assistant behind the API at base.
func New(rt http.RoundTripper, base string) *Assistant {
	return &Assistant{hc: &http.Client{Transport: rt}, base: base}
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type request struct {
	Model    string    `json:"model"`
	Stream   bool      `json:"stream"`
	Messages []message `json:"messages"`
}

type chunk struct {
	Choices []struct {
		Delta struct {
			Content string `json:"content"`
		} `json:"delta"`
	} `json:"choices"`
}

// Answer hands the answer to show, piece by piece.
func (a *Assistant) Answer(ctx context.Context, question string, show func(string)) error {
	body, err := json.Marshal(request{Model: "pilot-1", Stream: true, Messages: []message{{"user", question}}})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.base+"/v1/chat/completions", bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	resp, err := a.hc.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("model answered %s", resp.Status)
	}
	sc := bufio.NewScanner(resp.Body)
	for sc.Scan() {
		data, ok := strings.CutPrefix(sc.Text(), "data: ")
		if !ok {
			continue
		}
		if data == "[DONE]" {
			return nil
		}
		var c chunk
		if err := json.Unmarshal([]byte(data), &c); err != nil {
			return fmt.Errorf("piece of an answer: %w", err)
		}
		for _, choice := range c.Choices {
			if choice.Delta.Content != "" {
				show(choice.Delta.Content)
			}
		}
	}
	if err := sc.Err(); err != nil {
		return err
	}
	return io.ErrUnexpectedEOF
}
