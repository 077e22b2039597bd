// Package openairetryable gives openai-go a client that retries.
package openairetryable

import (
	"context"
	"time"

	"github.com/hashicorp/go-retryablehttp"
	"github.com/openai/openai-go"
	"github.com/openai/openai-go/option"
)

// connect returns a client that is meant to get over a restart of the server.
func connect(base string) openai.Client {
	patient := retryablehttp.NewClient()
	patient.Logger = nil
	patient.RetryWaitMin = time.Millisecond
	patient.RetryWaitMax = 4 * time.Millisecond
	return openai.NewClient(
		option.WithBaseURL(base),
		option.WithAPIKey("none"),
		option.WithHTTPClient(patient.StandardClient()),
	)
}

// Call asks the server at base once.
func Call(base string) error {
	client := connect(base)
	_, err := client.Models.Get(context.Background(), "small")
	return err
}
