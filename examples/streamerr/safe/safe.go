// Package safe writes the evening's bulletin with a language model, like package
// risky, and puts it on the notice board only when all of it has come.
package safe

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/resiliencevet/resiliencevet/resilience"
)

// Herald writes bulletins.
type Herald struct {
	hc   *http.Client
	base string
}

// New returns the Herald behind the API at base.
func New(rt http.RoundTripper, base string) *Herald {
	return &Herald{hc: &http.Client{Transport: rt}, base: base}
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

// Bulletin returns the text for the notice board. With an error, it returns as
// much of it as has come.
func (h *Herald) Bulletin(ctx context.Context, notes string) (string, error) {
	body, err := json.Marshal(request{Model: "herald-1", MaxTokens: 4096, Stream: true, Messages: []message{{"user", notes}}})
	if err != nil {
		return "", err
	}
	stream, err := resilience.NewStream(ctx, resilience.StreamOptions{FirstToken: 30 * time.Second, Idle: 15 * time.Second, Deadline: 5 * time.Minute})
	if err != nil {
		return "", err
	}
	defer stream.Close()
	req, err := http.NewRequestWithContext(stream.Context(), http.MethodPost, h.base+"/v1/messages", bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := h.hc.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return "", fmt.Errorf("model answered %s", resp.Status)
	}
	var text strings.Builder
	for e, err := range stream.Events(resp.Body, resilience.Rules[resilience.Event]{}) {
		if err != nil {
			return text.String(), err
		}
		if e.Type != "content_block_delta" {
			continue
		}
		var ev event
		if err := json.Unmarshal(e.Data, &ev); err != nil {
			return text.String(), fmt.Errorf("event of a bulletin: %w", err)
		}
		text.WriteString(ev.Delta.Text)
	}
	return text.String(), nil
}
