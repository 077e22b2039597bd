// Package sdk reads the streams of a known library.
package sdk

import (
	"context"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

var client = openai.NewClient(option.WithAPIKey("k"))

func plain(ctx context.Context, on func(string)) error {
	st := client.Chat.Completions.NewStreaming(ctx, openai.ChatCompletionNewParams{Model: "m"})
	defer st.Close()
	for st.Next() { // want `this stream is read with no deadline`
		on(st.Current().Text)
	}
	return st.Err()
}

func watched(ctx context.Context, on func(string)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	dog := time.AfterFunc(time.Minute, cancel)
	defer dog.Stop()
	st := client.Chat.Completions.NewStreaming(ctx, openai.ChatCompletionNewParams{Model: "m"})
	defer st.Close()
	for st.Next() {
		dog.Reset(time.Minute)
		on(st.Current().Text)
	}
	return st.Err()
}
