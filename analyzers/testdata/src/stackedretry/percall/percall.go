// Package percall switches a layer off where it calls: then what its constructor
// looks like says little.
package percall

import (
	"context"

	"github.com/hardy/persist"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

// Silent: the only call is made with one attempt.
func client() openai.Client {
	return openai.NewClient(option.WithHTTPClient(persist.New().Standard()))
}

func ask(ctx context.Context) error {
	c := client()
	_, err := c.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{}, option.WithMaxRetries(0))
	return err
}
