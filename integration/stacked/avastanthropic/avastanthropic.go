// Package avastanthropic asks a model in retry-go.
package avastanthropic

import (
	"context"
	"time"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/avast/retry-go/v4"
)

type translator struct{ client *anthropic.Client }

func (t *translator) translate(ctx context.Context, text string) (answer *anthropic.Message, err error) {
	err = retry.Do(func() error {
		var err error
		answer, err = t.client.Messages.New(ctx, anthropic.MessageNewParams{
			Model:     "small",
			MaxTokens: 100,
			Messages:  []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(text))},
		})
		return err
	}, retry.Context(ctx), retry.Attempts(3), retry.Delay(time.Millisecond), retry.LastErrorOnly(true))
	return answer, err
}

// Call asks the server at base once.
func Call(base string) error {
	client := anthropic.NewClient(option.WithBaseURL(base), option.WithAPIKey("none"))
	t := &translator{client: &client}
	_, err := t.translate(context.Background(), "moin")
	return err
}
