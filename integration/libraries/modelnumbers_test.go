package libraries

import (
	"context"
	"net/http"

	neturl "net/url"

	"cloud.google.com/go/storage"
	"github.com/anthropics/anthropic-sdk-go"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/option"
	cohere "github.com/cohere-ai/cohere-go/v2"
	cohereclient "github.com/cohere-ai/cohere-go/v2/client"
	cohereoption "github.com/cohere-ai/cohere-go/v2/option"
	"github.com/elastic/elastic-transport-go/v8/elastictransport"
	openai3 "github.com/openai/openai-go/v3"
	openai3option "github.com/openai/openai-go/v3/option"
	stripe85 "github.com/stripe/stripe-go/v85"
	"github.com/tmaxmax/go-sse"
	"google.golang.org/api/option"
	"google.golang.org/genai"
)

// modelNumbers are those of the SDKs of language models, and of some others.
func modelNumbers() []number {
	return []number{
		{module: "github.com/openai/openai-go/v3", symbol: "option.WithMaxRetries",
			send: func(ctx context.Context, c *http.Client, n int) error {
				client := newOpenAI3(c, openai3option.WithMaxRetries(n))
				_, err := client.Chat.Completions.New(ctx, openai3.ChatCompletionNewParams{Model: "m"})
				return err
			}},
		{module: "github.com/anthropics/anthropic-sdk-go", symbol: "option.WithMaxRetries",
			send: func(ctx context.Context, c *http.Client, n int) error {
				client := anthropic.NewClient(anthropicoption.WithoutEnvironmentDefaults(), anthropicoption.WithHTTPClient(c),
					anthropicoption.WithBaseURL(base), anthropicoption.WithAPIKey("k"))
				_, err := client.Messages.New(ctx, anthropic.MessageNewParams{Model: "m", MaxTokens: 9},
					anthropicoption.WithMaxRetries(n)) // of this call
				return err
			}},
		{module: "google.golang.org/genai", symbol: "HTTPRetryOptions.Attempts",
			send: func(ctx context.Context, c *http.Client, n int) error {
				attempts := int32(n)
				return gemini(ctx, c, genai.HTTPOptions{BaseURL: base, RetryOptions: &genai.HTTPRetryOptions{Attempts: &attempts}})
			}},
		{module: "github.com/stripe/stripe-go/v85", symbol: "BackendConfig.MaxNetworkRetries",
			send: func(ctx context.Context, c *http.Client, n int) error {
				return charge(ctx, c, stripe85.Int64(int64(n)))
			}},
		{module: "cloud.google.com/go/storage", symbol: "WithMaxAttempts",
			send: func(ctx context.Context, c *http.Client, n int) error {
				client, err := storage.NewClient(ctx, option.WithHTTPClient(c), option.WithEndpoint(base))
				if err != nil {
					return err
				}
				_, err = client.Bucket("berths").Retryer(storage.WithMaxAttempts(n)).Object("7").Attrs(ctx)
				return err
			}},
		{module: "github.com/cohere-ai/cohere-go/v2", symbol: "option.WithMaxAttempts", unsigned: true, bare: true,
			send: func(ctx context.Context, c *http.Client, n int) error {
				client := cohereclient.NewClient(cohereoption.WithHTTPClient(c), cohereoption.WithBaseURL(base),
					cohereoption.WithToken("k"), cohereoption.WithMaxAttempts(uint(n)))
				_, err := client.Chat(ctx, &cohere.ChatRequest{Message: "how long is the crossing?"})
				return err
			}},
		{module: "github.com/elastic/elastic-transport-go/v8", symbol: "elastictransport.Config.MaxRetries",
			send: func(ctx context.Context, c *http.Client, n int) error {
				to, err := neturl.Parse(url)
				if err != nil {
					return err
				}
				client, err := elastictransport.New(elastictransport.Config{
					URLs: []*neturl.URL{to}, Transport: roundTripper(c.Do), MaxRetries: n,
				})
				if err != nil {
					return err
				}
				return ask(ctx, client.Perform, "POST", "")
			}},
		{module: "github.com/tmaxmax/go-sse", symbol: "Backoff.MaxRetries",
			send: func(ctx context.Context, c *http.Client, n int) error {
				return ask(ctx, func(r *http.Request) (*http.Response, error) {
					client := &sse.Client{HTTPClient: c, Backoff: sse.Backoff{MaxRetries: n}}
					return nil, client.NewConnection(r).Connect()
				}, "GET", "")
			}},
	}
}
