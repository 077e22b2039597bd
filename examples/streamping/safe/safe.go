// Package safe shows a model's answer as it comes, like package risky, and gives
// up when there has been no text for fifteen seconds, whatever else has come.
package safe

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/resiliencevet/resiliencevet/resilience"
)

// Guide answers the questions of passengers.
type Guide struct {
	hc   *http.Client
	base string
}

// New returns the Guide behind the API at base.
func New(rt http.RoundTripper, base string) *Guide {
	return &Guide{hc: &http.Client{Transport: rt}, base: base}
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type request struct {
	Model     string    `json:"model"`
	MaxTokens int       `json:"max_tokens"`
	Stream    bool      `json:"stream"`
	Messages  []message `json:"messages"`
}

type event struct {
	Delta struct {
		Text string `json:"text"`
	} `json:"delta"`
}

// text is what counts as progress: not the events that open a message or keep a
// connection alive. The last event and errors are known by themselves.
var text = resilience.Rules[resilience.Event]{
	Content: func(e resilience.Event) bool { return e.Type == "content_block_delta" },
}

// Answer hands the answer to show, piece by piece.
func (g *Guide) Answer(ctx context.Context, question string, show func(string)) error {
	body, err := json.Marshal(request{Model: "guide-1", MaxTokens: 1024, Stream: true, Messages: []message{{"user", question}}})
	if err != nil {
		return err
	}
	stream, err := resilience.NewStream(ctx, resilience.StreamOptions{FirstToken: 30 * time.Second, Idle: 15 * time.Second, Deadline: 5 * time.Minute})
	if err != nil {
		return err
	}
	defer stream.Close()
	req, err := http.NewRequestWithContext(stream.Context(), http.MethodPost, g.base+"/v1/messages", bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := g.hc.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("model answered %s", resp.Status)
	}
	for e, err := range stream.Events(resp.Body, text) {
		if err != nil {
			return err
		}
		if e.Type != "content_block_delta" {
			continue
		}
		var ev event
		if err := json.Unmarshal(e.Data, &ev); err != nil {
			return fmt.Errorf("event of an answer: %w", err)
		}
		show(ev.Delta.Text)
	}
	return nil
}
