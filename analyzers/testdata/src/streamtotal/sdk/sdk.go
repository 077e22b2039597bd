// Package sdk bounds the streams of a known library.
package sdk

import (
	"context"
	"net/http"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

type Provider struct{ api openai.Client }

func New() *Provider {
	return &Provider{api: openai.NewClient(option.WithHTTPClient(&http.Client{Timeout: time.Minute}))} // want `one total timeout \(http.Client.Timeout\) covers a whole stream: a healthy answer that takes longer than 1m0s`
}

func (p *Provider) Ask(ctx context.Context, on func(string)) error {
	st := p.api.Chat.Completions.NewStreaming(ctx, openai.ChatCompletionNewParams{Model: "m"})
	defer st.Close()
	for st.Next() {
		on(st.Current().Text)
	}
	return st.Err()
}

type Calls struct{ api openai.Client }

func NewCalls() *Calls { return &Calls{api: openai.NewClient(option.WithAPIKey("k"))} }

// Ask sets the timeout of one call.
func (c *Calls) Ask(ctx context.Context, on func(string)) error {
	st := c.api.Chat.Completions.NewStreaming(ctx, openai.ChatCompletionNewParams{Model: "m"}, option.WithRequestTimeout(30*time.Second)) // want `one total timeout \(openai-go's WithRequestTimeout\) covers a whole stream: a healthy answer that takes longer than 30s`
	defer st.Close()
	for st.Next() {
		on(st.Current().Text)
	}
	return st.Err()
}

// Long is bounded by its context.
func (c *Calls) Long(on func(string)) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute) // want `one total timeout \(context.WithTimeout\) covers a whole stream`
	defer cancel()
	st := c.api.Chat.Completions.NewStreaming(ctx, openai.ChatCompletionNewParams{Model: "m"})
	defer st.Close()
	for st.Next() {
		on(st.Current().Text)
	}
	return st.Err()
}

type headers struct{ api openai.Client }

func newHeaders() *headers {
	return &headers{api: openai.NewClient(option.WithHTTPClient(&http.Client{Transport: &http.Transport{ResponseHeaderTimeout: time.Minute}}))}
}

// ask has an idle deadline, and a timeout for the headers.
func (h *headers) ask(ctx context.Context, on func(string)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	dog := time.AfterFunc(time.Minute, cancel)
	defer dog.Stop()
	st := h.api.Chat.Completions.NewStreaming(ctx, openai.ChatCompletionNewParams{Model: "m"})
	defer st.Close()
	for st.Next() {
		dog.Reset(time.Minute)
		on(st.Current().Text)
	}
	return st.Err()
}
