// Package percall states a policy for each call.
package percall

import (
	"context"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

func newClient(key string) openai.Client { return openai.NewClient(option.WithAPIKey(key)) }

func ask(ctx context.Context, c openai.Client) error {
	_, err := c.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{}, option.WithRequestTimeout(time.Minute))
	return err
}
