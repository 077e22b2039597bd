// Package openai3recursion calls itself when openai-go has given up.
package openai3recursion

import (
	"context"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

func find(ctx context.Context, client *openai.Client, round int) (*openai.Model, error) {
	model, err := client.Models.Get(ctx, "small")
	if err == nil || round >= 3 {
		return model, err
	}
	return find(ctx, client, round+1)
}

// Call asks the server at base once.
func Call(base string) error {
	client := openai.NewClient(option.WithBaseURL(base), option.WithAPIKey("none"), option.WithMaxRetries(1))
	_, err := find(context.Background(), &client, 1)
	return err
}
