// Package anthropic stands for the library of that name: its types, and no code.
package anthropic

import (
	"context"

	"github.com/anthropics/anthropic-sdk-go/v2/option"
)

type Client struct {
	Options  []option.RequestOption
	Messages MessageService
}

type MessageService struct{ Options []option.RequestOption }

type MessageNewParams struct{ Model string }

type Message struct{ ID string }

func NewClient(opts ...option.RequestOption) Client { panic("a stub") }

func (r *MessageService) New(ctx context.Context, body MessageNewParams, opts ...option.RequestOption) (*Message, error) {
	panic("a stub")
}
