// Package sdkstreams reads the streams of OpenAI's and Anthropic's SDKs through
// resilience.Next: three budgets, and an end that is one. Without it, neither SDK
// has an idle deadline, and both end an answer that was cut off in order like one
// that is complete.
package sdkstreams

import (
	"context"
	"fmt"
	"time"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/openai/openai-go/v3"

	"github.com/resiliencevet/resiliencevet/resilience"
)

// budgets are those of the models that are asked here.
var budgets = resilience.StreamOptions{FirstToken: 30 * time.Second, Idle: 15 * time.Second, Deadline: 5 * time.Minute}

// OpenAI hands the answer of a chat completion to show, piece by piece. The
// client should not try again by itself (option.WithMaxRetries(0)): a generation
// that is sent again is paid for again.
func OpenAI(ctx context.Context, client openai.Client, question string, show func(string)) error {
	stream, err := resilience.NewStream(ctx, budgets)
	if err != nil {
		return err
	}
	defer stream.Close()
	sdk := client.Chat.Completions.NewStreaming(stream.Context(), openai.ChatCompletionNewParams{
		Model:    "pilot-1",
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(question)},
	})
	for chunk, err := range resilience.Next(stream, sdk, resilience.Rules[openai.ChatCompletionChunk]{
		Content: func(c openai.ChatCompletionChunk) bool { return text(c) != "" },
		// The SDK takes [DONE] for itself. With stream_options.include_usage, the
		// last chunk is the one that has Usage instead.
		Done: func(c openai.ChatCompletionChunk) bool { return len(c.Choices) > 0 && c.Choices[0].FinishReason != "" },
	}) {
		if err != nil {
			return fmt.Errorf("answer of pilot-1: %w", err)
		}
		if t := text(chunk); t != "" {
			show(t)
		}
	}
	return nil
}

func text(c openai.ChatCompletionChunk) string {
	if len(c.Choices) == 0 {
		return ""
	}
	return c.Choices[0].Delta.Content
}

// Anthropic does the same for a message.
func Anthropic(ctx context.Context, client anthropic.Client, question string, show func(string)) error {
	stream, err := resilience.NewStream(ctx, budgets)
	if err != nil {
		return err
	}
	defer stream.Close()
	sdk := client.Messages.NewStreaming(stream.Context(), anthropic.MessageNewParams{
		Model:     "guide-1",
		MaxTokens: 1024,
		Messages:  []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(question))},
	})
	for event, err := range resilience.Next(stream, sdk, resilience.Rules[anthropic.MessageStreamEventUnion]{
		// Not message_start, which comes before the model has thought.
		Content: func(e anthropic.MessageStreamEventUnion) bool { return e.Type == "content_block_delta" },
		Done:    func(e anthropic.MessageStreamEventUnion) bool { return e.Type == "message_stop" },
	}) {
		if err != nil {
			return fmt.Errorf("answer of guide-1: %w", err)
		}
		if event.Type == "content_block_delta" {
			show(event.Delta.Text)
		}
	}
	return nil
}
