// Package risky shows a model's answer as it comes, and gives up when there has
// been no text for fifteen seconds. Then it returns, and the goroutine that reads
// the answer goes on, with its connection, for as long as the server likes.
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

// ErrStalled says that an answer has stopped coming.
var ErrStalled = errors.New("no text for 15 s")

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

// part is what the reading goroutine hands over.
type part struct {
	text string
	err  error // io.EOF behind the last one
}

// Answer hands the answer to show, piece by piece.
func (p *Porter) Answer(ctx context.Context, question string, show func(string)) error {
	body, err := json.Marshal(request{Model: "porter-1", Stream: true, Messages: []message{{"user", question}}})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.base+"/v1/chat/completions", bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := p.hc.Do(req)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		_ = resp.Body.Close()
		return fmt.Errorf("model answered %s", resp.Status)
	}
	parts := make(chan part)
	go read(ctx, resp.Body, parts)
	for {
		select {
		case next := <-parts:
			if next.err == io.EOF {
				return nil
			}
			if next.err != nil {
				return next.err
			}
			show(next.text)
		case <-time.After(idle):
			return ErrStalled
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// read reads an answer to its end, and closes it.
func read(ctx context.Context, body io.ReadCloser, parts chan<- part) {
	defer body.Close()
	hand := func(p part) bool {
		select {
		case parts <- p:
			return true
		case <-ctx.Done():
			return false
		}
	}
	sc := bufio.NewScanner(body)
	for sc.Scan() {
		data, ok := strings.CutPrefix(sc.Text(), "data: ")
		if !ok {
			continue
		}
		if data == "[DONE]" {
			hand(part{err: io.EOF})
			return
		}
		var c chunk
		if err := json.Unmarshal([]byte(data), &c); err != nil {
			hand(part{err: fmt.Errorf("piece of an answer: %w", err)})
			return
		}
		for _, choice := range c.Choices {
			if choice.Delta.Content != "" && !hand(part{text: choice.Delta.Content}) {
				return
			}
		}
	}
	err := sc.Err()
	if err == nil {
		err = io.ErrUnexpectedEOF
	}
	hand(part{err: err})
}
