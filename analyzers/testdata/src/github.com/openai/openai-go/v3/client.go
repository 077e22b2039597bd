// Package openai stands for the library of that name: its types, and no code.
package openai

import (
	"context"

	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"
)

type Client struct {
	Options []option.RequestOption
	Chat    ChatService
}

type ChatService struct {
	Options     []option.RequestOption
	Completions ChatCompletionService
}

type ChatCompletionService struct{ Options []option.RequestOption }

type ChatCompletionNewParams struct{ Model string }

type ChatCompletion struct{ ID string }

func NewClient(opts ...option.RequestOption) Client { panic("a stub") }

func (r *ChatCompletionService) New(ctx context.Context, body ChatCompletionNewParams, opts ...option.RequestOption) (*ChatCompletion, error) {
	panic("a stub")
}

type ChatCompletionChunk struct{ Text string }

func (r *ChatCompletionService) NewStreaming(ctx context.Context, body ChatCompletionNewParams, opts ...option.RequestOption) *ssestream.Stream[ChatCompletionChunk] {
	panic("a stub")
}
