// Package risky writes the evening's bulletin with a language model, and puts it
// on the notice board when the stream has ended. Nobody asks why it ended.
package risky

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

const idle = 15 * time.Second

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
	Type  string `json:"type"`
	Delta struct {
		Text string `json:"text"`
	} `json:"delta"`
}

// Bulletin returns the text for the notice board.
func (h *Herald) Bulletin(ctx context.Context, notes string) (string, error) {
	body, err := json.Marshal(request{Model: "herald-1", MaxTokens: 4096, Stream: true, Messages: []message{{"user", notes}}})
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.base+"/v1/messages", bytes.NewReader(body))
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
	watchdog := time.AfterFunc(idle, cancel)
	defer watchdog.Stop()
	var text strings.Builder
	sc := bufio.NewScanner(resp.Body)
	for sc.Scan() {
		data, ok := strings.CutPrefix(sc.Text(), "data: ")
		if !ok {
			continue
		}
		var ev event
		if err := json.Unmarshal([]byte(data), &ev); err != nil {
			return "", fmt.Errorf("event of a bulletin: %w", err)
		}
		if ev.Type == "content_block_delta" {
			watchdog.Reset(idle)
			text.WriteString(ev.Delta.Text)
		}
	}
	return text.String(), nil
}
