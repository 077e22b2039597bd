// Package safe shows a model's answer as it comes, like package risky. A budget
// that expires ends the request, so that the server hears of it at once, and
// nothing goes on reading.
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

// Porter answers the questions of passengers.
type Porter struct {
	hc   *http.Client
	base string
}

// New returns the Porter behind the API at base.
func New(rt http.RoundTripper, base string) *Porter {
	return &Porter{hc: &http.Client{Transport: rt}, base: base}
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
func (p *Porter) Answer(ctx context.Context, question string, show func(string)) error {
	body, err := json.Marshal(request{Model: "porter-1", Stream: true, Messages: []message{{"user", question}}})
	if err != nil {
		return err
	}
	stream, err := resilience.NewStream(ctx, resilience.StreamOptions{FirstToken: 30 * time.Second, Idle: 15 * time.Second, Deadline: 5 * time.Minute})
	if err != nil {
		return err
	}
	defer stream.Close()
	req, err := http.NewRequestWithContext(stream.Context(), http.MethodPost, p.base+"/v1/chat/completions", bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := p.hc.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("model answered %s", resp.Status)
	}
	for event, err := range stream.Events(resp.Body, resilience.Rules[resilience.Event]{}) {
		if err != nil {
			return err
		}
		var c chunk
		if err := json.Unmarshal(event.Data, &c); err != nil {
			return fmt.Errorf("piece of an answer: %w", err)
		}
		for _, choice := range c.Choices {
			if choice.Delta.Content != "" {
				show(choice.Delta.Content)
			}
		}
	}
	return nil
}
