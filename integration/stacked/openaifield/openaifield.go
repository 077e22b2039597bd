// Package openaifield names drawings with a model, whose client it keeps.
package openaifield

import (
	"context"
	"fmt"
	"time"

	"github.com/openai/openai-go"
	"github.com/openai/openai-go/option"
)

type namer struct {
	model  string
	client openai.Client
}

func newNamer(base string) *namer {
	return &namer{
		model:  "small",
		client: openai.NewClient(option.WithBaseURL(base), option.WithAPIKey("none")),
	}
}

// name asks up to four times.
func (n *namer) name(ctx context.Context, drawing string) (string, error) {
	var failure error
	for attempt := range 4 {
		answer, err := n.client.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{
			Model:    n.model,
			Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("a name for: " + drawing)},
		})
		if err == nil {
			return answer.Choices[0].Message.Content, nil
		}
		failure = err
		time.Sleep(time.Duration(attempt+1) * time.Millisecond)
	}
	return "", fmt.Errorf("no name for %s: %w", drawing, failure)
}

// Call asks the server at base once.
func Call(base string) error {
	_, err := newNamer(base).name(context.Background(), "a house")
	return err
}
