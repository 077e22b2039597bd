// Package risky shows a model's answer as it comes, and gives up when nothing
// has come for fifteen seconds. But every line counts: also the keep-alives of a
// server whose model has stopped.
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
	"strings"
	"time"
)

const idle = 15 * time.Second

// ErrStalled is the cause when an answer has stopped coming.
var ErrStalled = errors.New("no line for 15 s")

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
	Type  string `json:"type"`
	Delta struct {
		Text string `json:"text"`
	} `json:"delta"`
	Error struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	} `json:"error"`
}

// Answer hands the answer to show, piece by piece.
func (g *Guide) Answer(ctx context.Context, question string, show func(string)) error {
	body, err := json.Marshal(request{Model: "guide-1", MaxTokens: 1024, Stream: true, Messages: []message{{"user", question}}})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, g.base+"/v1/messages", bytes.NewReader(body))
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
	watchdog := time.AfterFunc(idle, func() { cancel(ErrStalled) })
	defer watchdog.Stop()
	sc := bufio.NewScanner(resp.Body)
	for sc.Scan() {
		watchdog.Reset(idle)
		line := sc.Text()
		if line == "" || strings.HasPrefix(line, ":") || strings.HasPrefix(line, "event:") {
			continue // the data say what the event is
		}
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			continue
		}
		var ev event
		if err := json.Unmarshal([]byte(data), &ev); err != nil {
			return fmt.Errorf("event of an answer: %w", err)
		}
		switch ev.Type {
		case "ping":
		case "content_block_delta":
			show(ev.Delta.Text)
		case "error":
			return fmt.Errorf("%s: %s", ev.Error.Type, ev.Error.Message)
		case "message_stop":
			return nil
		}
	}
	if err := sc.Err(); err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		return err
	}
	return io.ErrUnexpectedEOF
}
