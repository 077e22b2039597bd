// Package safe asks a language model and shows its answer as it comes, like
// package risky. Three budgets, which say what each phase may take, end an
// answer that has stopped coming, and no other.
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

// Budgets for this model. They belong beside its name.
const (
	firstToken = 30 * time.Second
	idle       = 15 * time.Second
	deadline   = 5 * time.Minute
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

// Answer hands the answer to show, piece by piece. After an error, what was
// shown is a part of the answer.
func (a *Assistant) Answer(ctx context.Context, question string, show func(string)) error {
	body, err := json.Marshal(request{Model: "pilot-1", Stream: true, Messages: []message{{"user", question}}})
	if err != nil {
		return err
	}
	stream, err := resilience.NewStream(ctx, resilience.StreamOptions{FirstToken: firstToken, Idle: idle, Deadline: deadline})
	if err != nil {
		return err
	}
	defer stream.Close()
	req, err := http.NewRequestWithContext(stream.Context(), http.MethodPost, a.base+"/v1/chat/completions", bytes.NewReader(body))
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
