// Package sdk reads the streams of a known library.
package sdk

import (
	"context"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"
)

var client = openai.NewClient(option.WithAPIKey("k"))

func dropped(ctx context.Context) (string, error) {
	st := client.Chat.Completions.NewStreaming(ctx, openai.ChatCompletionNewParams{Model: "m"})
	defer st.Close()
	var b strings.Builder
	for st.Next() { // want `an error that the server reports in the stream, ends this loop like the end of the answer`
		b.WriteString(st.Current().Text)
	}
	return b.String(), nil
}

func before(ctx context.Context) (string, error) {
	st := client.Chat.Completions.NewStreaming(ctx, openai.ChatCompletionNewParams{Model: "m"})
	defer st.Close()
	if err := st.Err(); err != nil {
		return "", err
	}
	var b strings.Builder
	for st.Next() { // want `the error that ends the stream is dropped`
		b.WriteString(st.Current().Text)
	}
	return b.String(), nil
}

func asked(ctx context.Context) (string, error) {
	st := client.Chat.Completions.NewStreaming(ctx, openai.ChatCompletionNewParams{Model: "m"})
	defer st.Close()
	var b strings.Builder
	for st.Next() {
		b.WriteString(st.Current().Text)
	}
	return b.String(), st.Err()
}

func helped(ctx context.Context) (string, error) {
	st := client.Chat.Completions.NewStreaming(ctx, openai.ChatCompletionNewParams{Model: "m"})
	defer st.Close()
	var b strings.Builder
	for st.Next() {
		b.WriteString(st.Current().Text)
	}
	return b.String(), failure(st)
}

func failure[T any](st *ssestream.Stream[T]) error { return st.Err() }

func given(ctx context.Context) (*ssestream.Stream[openai.ChatCompletionChunk], string) {
	st := client.Chat.Completions.NewStreaming(ctx, openai.ChatCompletionNewParams{Model: "m"})
	var b strings.Builder
	for st.Next() {
		b.WriteString(st.Current().Text)
	}
	return st, b.String()
}
