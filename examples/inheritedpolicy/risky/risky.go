// Package risky asks a language model for the words of an announcement, and leaves it
// to the SDK how often and for how long.
package risky

import (
	"context"
	"errors"

	"github.com/openai/openai-go"
	"github.com/openai/openai-go/option"
)

// Announcer writes what the loudspeakers of a terminal say.
type Announcer struct{ client openai.Client }

// New returns an Announcer whose model is served at base.
func New(base string) *Announcer {
	return &Announcer{client: openai.NewClient(option.WithBaseURL(base), option.WithAPIKey("not a secret"))}
}

// Words returns the words for a delay of a ferry.
func (a *Announcer) Words(ctx context.Context, ferry string) (string, error) {
	answer, err := a.client.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{
		Model:    "small",
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("announce that the " + ferry + " is late")},
	})
	if err != nil {
		return "", err
	}
	if len(answer.Choices) == 0 {
		return "", errors.New("the model has no words")
	}
	return answer.Choices[0].Message.Content, nil
}
