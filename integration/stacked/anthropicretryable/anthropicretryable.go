// Package anthropicretryable gives anthropic-sdk-go a client that retries.
package anthropicretryable

import (
	"context"
	"time"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/hashicorp/go-retryablehttp"
)

// Call asks the server at base once.
func Call(base string) error {
	rc := retryablehttp.NewClient()
	rc.RetryMax = 3
	rc.RetryWaitMin, rc.RetryWaitMax = time.Millisecond, time.Millisecond
	rc.Logger = nil
	client := anthropic.NewClient(
		option.WithBaseURL(base),
		option.WithAPIKey("none"),
		option.WithMaxRetries(1),
		option.WithHTTPClient(rc.StandardClient()),
	)
	_, err := client.Messages.New(context.Background(), anthropic.MessageNewParams{
		Model:     "small",
		MaxTokens: 20,
		Messages:  []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("good evening"))},
	})
	return err
}
