package libraries

import (
	"context"
	"net/http"
	neturl "net/url"

	"cloud.google.com/go/storage"
	anthropic2 "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/google/go-github/v85/github"
	"github.com/ollama/ollama/api"
	goopenai "github.com/sashabaranov/go-openai"
	"github.com/tmaxmax/go-sse"
	"github.com/tmc/langchaingo/llms"
	langopenai "github.com/tmc/langchaingo/llms/openai"
	"google.golang.org/api/option"
	"google.golang.org/genai"
	"google.golang.org/genai/interactions/models/interactions"
	"google.golang.org/genai/interactions/models/operations"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"
	resty3 "resty.dev/v3"
)

// more are the other SDKs.
func more() []specimen {
	return append([]specimen{
		{
			module: "google.golang.org/genai", policy: "once", fixed: "POST",
			send: func(ctx context.Context, c *http.Client, _, _ string) error {
				return gemini(ctx, c, genai.HTTPOptions{BaseURL: base})
			},
		},
		{
			module: "google.golang.org/genai", policy: "retry", fixed: "POST",
			send: func(ctx context.Context, c *http.Client, _, _ string) error {
				return gemini(ctx, c, genai.HTTPOptions{BaseURL: base, RetryOptions: &genai.HTTPRetryOptions{}})
			},
		},
		{
			module: "google.golang.org/genai", policy: "interactions", fixed: "POST",
			send: func(ctx context.Context, c *http.Client, _, _ string) error {
				client, err := newGemini(ctx, c, genai.HTTPOptions{BaseURL: base})
				if err != nil {
					return err
				}
				_, err = client.Interactions.Create(ctx, operations.CreateInteractionRequest{
					Body: operations.NewCreateInteractionRequestBody(interactions.CreateModelInteraction{Model: "m"}),
				})
				return err
			},
		},
		{
			module: "cloud.google.com/go/storage", policy: "read", fixed: "GET",
			send: func(ctx context.Context, c *http.Client, _, _ string) error {
				client, err := storage.NewClient(ctx, option.WithHTTPClient(c), option.WithEndpoint(base))
				if err != nil {
					return err
				}
				_, err = client.Bucket("berths").Object("7").Attrs(ctx)
				return err
			},
		},
		{
			module: "k8s.io/client-go", policy: "rest", given: true, // by the server
			send: func(ctx context.Context, c *http.Client, method, body string) error {
				return kube(ctx, c, method, body, nil)
			},
		},
		{
			module: "github.com/sashabaranov/go-openai", policy: "once", fixed: "POST",
			send: func(ctx context.Context, c *http.Client, _, _ string) error {
				config := goopenai.DefaultConfig("k")
				config.BaseURL, config.HTTPClient = base, c
				_, err := goopenai.NewClientWithConfig(config).CreateChatCompletion(ctx, goopenai.ChatCompletionRequest{Model: "m"})
				return err
			},
		},
		{
			module: "github.com/ollama/ollama", policy: "once", fixed: "POST",
			send: func(ctx context.Context, c *http.Client, _, _ string) error {
				to, err := neturl.Parse(base)
				if err != nil {
					return err
				}
				return api.NewClient(to, c).Chat(ctx, &api.ChatRequest{Model: "m"}, func(api.ChatResponse) error { return nil })
			},
		},
		{
			module: "github.com/tmc/langchaingo", policy: "once", fixed: "POST",
			send: func(ctx context.Context, c *http.Client, _, _ string) error {
				model, err := langopenai.New(langopenai.WithHTTPClient(c), langopenai.WithBaseURL(base), langopenai.WithToken("k"))
				if err != nil {
					return err
				}
				_, err = llms.GenerateFromSinglePrompt(ctx, model, "how long is the crossing?")
				return err
			},
		},
		{
			module: "github.com/google/go-github/v85", policy: "once",
			send: func(ctx context.Context, c *http.Client, method, body string) error {
				req, err := http.NewRequest(method, url, nil)
				if err != nil {
					return err
				}
				_, err = github.NewClient(c).Do(ctx, req, nil)
				return err
			},
		},
		{
			module: "github.com/tmaxmax/go-sse", policy: "connection", garbled: nothingOfAStream,
			send: func(ctx context.Context, c *http.Client, method, body string) error {
				return ask(ctx, func(r *http.Request) (*http.Response, error) {
					return nil, (&sse.Client{HTTPClient: c}).NewConnection(r).Connect()
				}, method, body)
			},
		},
		{
			module: "github.com/anthropics/anthropic-sdk-go/v2", policy: "careful", fixed: "POST",
			send: func(ctx context.Context, c *http.Client, _, _ string) error {
				client := newAnthropic2(c)
				_, err := client.Messages.Batches.New(ctx, anthropic2.MessageBatchNewParams{})
				return err
			},
		},
		{
			module: "resty.dev/v3", policy: "sse", fixed: "GET", deaf: true,
			send: func(_ context.Context, c *http.Client, _, _ string) error {
				source := resty3.NewSSESource().SetURL(url).SetTransport(roundTripper(c.Do)).SetLogger(quiet{})
				return source.OnMessage(func(any) {}, nil).Get()
			},
		},
	}, stripes()...)
}

// nothingOfAStream begins an event stream and ends it at once.
func nothingOfAStream(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
}

func newGemini(ctx context.Context, c *http.Client, options genai.HTTPOptions) (*genai.Client, error) {
	return genai.NewClient(ctx, &genai.ClientConfig{
		APIKey: "k", Backend: genai.BackendGeminiAPI, HTTPClient: c, HTTPOptions: options,
	})
}

func gemini(ctx context.Context, c *http.Client, options genai.HTTPOptions) error {
	client, err := newGemini(ctx, c, options)
	if err != nil {
		return err
	}
	_, err = client.Models.GenerateContent(ctx, "m", genai.Text("how long is the crossing?"), nil)
	return err
}

// kube sends one request by the REST client of client-go; set may change it first.
func kube(ctx context.Context, c *http.Client, method, body string, set func(*rest.Request) *rest.Request) error {
	to, err := neturl.Parse(base)
	if err != nil {
		return err
	}
	client, err := rest.NewRESTClient(to, "", rest.ClientContentConfig{}, flowcontrol.NewFakeAlwaysRateLimiter(), c)
	if err != nil {
		return err
	}
	req := client.Verb(method).AbsPath("berth")
	if body != "" {
		req = req.Body([]byte(body))
	}
	if set != nil {
		req = set(req)
	}
	_, err = req.DoRaw(ctx)
	return err
}
