package libraries

import (
	"context"
	"net/http"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	azpolicy "github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	azruntime "github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/streaming"
	"github.com/anthropics/anthropic-sdk-go"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/option"
	anthropic2 "github.com/anthropics/anthropic-sdk-go/v2"
	anthropic2option "github.com/anthropics/anthropic-sdk-go/v2/option"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	cohere "github.com/cohere-ai/cohere-go/v2"
	cohereclient "github.com/cohere-ai/cohere-go/v2/client"
	cohereoption "github.com/cohere-ai/cohere-go/v2/option"
	"github.com/openai/openai-go"
	openaioption "github.com/openai/openai-go/option"
	openai2 "github.com/openai/openai-go/v2"
	openai2option "github.com/openai/openai-go/v2/option"
	openai3 "github.com/openai/openai-go/v3"
	openai3option "github.com/openai/openai-go/v3/option"
)

// base is where SDKs send to, each with paths of its own.
const base = "http://harbour.invalid/"

// brokenOff promises more of an answer than it sends.
func brokenOff(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", "1000")
	_, _ = w.Write([]byte(`{"id":`))
	panic(http.ErrAbortHandler)
}

// page is what a proxy answers.
func page(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html")
	w.WriteHeader(http.StatusBadRequest)
	_, _ = w.Write([]byte("<h1>this is a proxy</h1>"))
}

// sdks are clients of an API, with one of its calls.
func sdks() []specimen {
	return append([]specimen{
		{
			module: "github.com/openai/openai-go", policy: "request", fixed: "POST",
			send: func(ctx context.Context, c *http.Client, _, _ string) error {
				client := openai.NewClient(openaioption.WithHTTPClient(c), openaioption.WithBaseURL(base), openaioption.WithAPIKey("k"))
				_, err := client.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{Model: "m"})
				return err
			},
		},
		{
			module: "github.com/openai/openai-go/v2", policy: "request", fixed: "POST",
			send: func(ctx context.Context, c *http.Client, _, _ string) error {
				client := openai2.NewClient(openai2option.WithHTTPClient(c), openai2option.WithBaseURL(base), openai2option.WithAPIKey("k"))
				_, err := client.Chat.Completions.New(ctx, openai2.ChatCompletionNewParams{Model: "m"})
				return err
			},
		},
		{
			module: "github.com/openai/openai-go/v3", policy: "request", fixed: "POST",
			send: func(ctx context.Context, c *http.Client, _, _ string) error {
				client := newOpenAI3(c)
				_, err := client.Chat.Completions.New(ctx, openai3.ChatCompletionNewParams{Model: "m"})
				return err
			},
		},
		{
			module: "github.com/anthropics/anthropic-sdk-go", policy: "request", fixed: "POST", garbled: brokenOff,
			send: func(ctx context.Context, c *http.Client, _, _ string) error {
				client := anthropic.NewClient(anthropicoption.WithoutEnvironmentDefaults(), anthropicoption.WithHTTPClient(c),
					anthropicoption.WithBaseURL(base), anthropicoption.WithAPIKey("k"))
				_, err := client.Messages.New(ctx, anthropic.MessageNewParams{Model: "m", MaxTokens: 9})
				return err
			},
		},
		{
			module: "github.com/anthropics/anthropic-sdk-go/v2", policy: "request", fixed: "POST", garbled: brokenOff,
			send: func(ctx context.Context, c *http.Client, _, _ string) error {
				client := newAnthropic2(c)
				_, err := client.Messages.New(ctx, anthropic2.MessageNewParams{Model: "m", MaxTokens: 9})
				return err
			},
		},
		{
			module: "github.com/Azure/azure-sdk-for-go/sdk/azcore", policy: "retry",
			send: func(ctx context.Context, c *http.Client, method, body string) error {
				return azure(ctx, c, method, body, azpolicy.RetryOptions{})
			},
		},
		{
			module: "github.com/aws/aws-sdk-go-v2", policy: "standard", fixed: "POST",
			send: func(ctx context.Context, c *http.Client, _, _ string) error {
				_, err := bedrockruntime.NewFromConfig(awsConfig(c)).Converse(ctx, &bedrockruntime.ConverseInput{ModelId: aws.String("m")})
				return err
			},
		},
		{
			module: "github.com/aws/aws-sdk-go-v2", policy: "none", fixed: "POST",
			send: func(ctx context.Context, c *http.Client, _, _ string) error {
				cfg := awsConfig(c)
				cfg.Retryer = func() aws.Retryer { return aws.NopRetryer{} }
				_, err := bedrockruntime.NewFromConfig(cfg).Converse(ctx, &bedrockruntime.ConverseInput{ModelId: aws.String("m")})
				return err
			},
		},
		{
			module: "github.com/cohere-ai/cohere-go/v2", policy: "retrier", fixed: "POST", bare: true,
			send: func(ctx context.Context, c *http.Client, _, _ string) error {
				client := cohereclient.NewClient(cohereoption.WithHTTPClient(c), cohereoption.WithBaseURL(base), cohereoption.WithToken("k"))
				_, err := client.Chat(ctx, &cohere.ChatRequest{Message: "how long is the crossing?"})
				return err
			},
		},
	}, more()...)
}

func newOpenAI3(c *http.Client, options ...openai3option.RequestOption) openai3.Client {
	return openai3.NewClient(append([]openai3option.RequestOption{
		openai3option.WithHTTPClient(c), openai3option.WithBaseURL(base), openai3option.WithAPIKey("k"),
	}, options...)...)
}

func newAnthropic2(c *http.Client) anthropic2.Client {
	return anthropic2.NewClient(anthropic2option.WithoutEnvironmentDefaults(), anthropic2option.WithHTTPClient(c),
		anthropic2option.WithBaseURL(base), anthropic2option.WithAPIKey("k"))
}

// azure sends one request through the pipeline of the SDK's clients.
func azure(ctx context.Context, c *http.Client, method, body string, retry azpolicy.RetryOptions) error {
	pipeline := azruntime.NewPipeline("harbour", "v1.0.0", azruntime.PipelineOptions{},
		&azcore.ClientOptions{Transport: c, Retry: retry})
	req, err := azruntime.NewRequest(ctx, method, url)
	if err != nil {
		return err
	}
	if body != "" {
		if err := req.SetBody(streaming.NopCloser(strings.NewReader(body)), "text/plain"); err != nil {
			return err
		}
	}
	return answered(pipeline.Do(req))
}

func awsConfig(c *http.Client) aws.Config {
	return aws.Config{
		Region: "eu-north-1", HTTPClient: c, BaseEndpoint: aws.String(base),
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "id", SecretAccessKey: "k"}, nil
		}),
	}
}
