// Package clients makes clients of language models.
package clients

import (
	"net/http"
	"time"

	anthropic "github.com/anthropics/anthropic-sdk-go/v2"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/v2/option"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

type service struct {
	chat     openai.Client
	messages anthropic.Client
}

func risky(key string) *service {
	return &service{
		chat:     openai.NewClient(option.WithAPIKey(key)),             // want `nobody has stated a policy for this client of openai-go: it makes up to 3 attempts for each request, POST included, without an idempotency key, and nothing ends a stream that has gone silent; state what you want \(WithMaxRetries, WithRequestTimeout, WithHTTPClient\)`
		messages: anthropic.NewClient(anthropicoption.WithAPIKey(key)), // want `this client of anthropic-sdk-go`
	}
}

func none() openai.Client { return openai.NewClient() } // want `nobody has stated a policy`

func onDefaultClient(key string) openai.Client {
	return openai.NewClient(option.WithAPIKey(key), option.WithHTTPClient(http.DefaultClient)) // want `nobody has stated a policy`
}

func listed(key string, headers map[string]string) openai.Client {
	opts := []option.RequestOption{option.WithAPIKey(key)}
	if key == "" {
		opts = append(opts, option.WithHeader("X-Anonymous", "1"))
	}
	return openai.NewClient(opts...) // want `nobody has stated a policy`
}

func withKey(key string) option.RequestOption { return option.WithAPIKey(key) }

func byOption(key string) openai.Client {
	return openai.NewClient(withKey(key)) // want `nobody has stated a policy`
}

type alias = openai.Client

func generic[T any](key string, with func(*alias) T) T {
	client := openai.NewClient(option.WithAPIKey(key)) // want `nobody has stated a policy`
	return with(&client)
}

func makeWith(opts ...option.RequestOption) openai.Client { return openai.NewClient(opts...) }

func byHelper(key string) openai.Client {
	return makeWith(option.WithAPIKey(key)) // want `nobody has stated a policy`
}

// New is for other packages, which say with what.
func New(opts ...option.RequestOption) openai.Client { return openai.NewClient(opts...) }

// Plain decides alone.
func Plain(key string) openai.Client {
	return openai.NewClient(option.WithAPIKey(key)) // want `nobody has stated a policy`
}

// What follows is safe, or not known.

func retries(key string) openai.Client {
	return openai.NewClient(option.WithAPIKey(key), option.WithMaxRetries(2))
}

func timeout(key string) openai.Client {
	return openai.NewClient(option.WithAPIKey(key), option.WithRequestTimeout(time.Minute))
}

func client(key string) openai.Client {
	return openai.NewClient(option.WithAPIKey(key), option.WithHTTPClient(&http.Client{Timeout: time.Minute}))
}

func given(hc *http.Client) openai.Client { return openai.NewClient(option.WithHTTPClient(hc)) }

func statedByHelper(key string) openai.Client {
	return makeWith(option.WithAPIKey(key), option.WithMaxRetries(0))
}

func sometimes(key string, patient bool) openai.Client {
	opts := []option.RequestOption{option.WithAPIKey(key)}
	if patient {
		opts = append(opts, option.WithMaxRetries(5))
	}
	return openai.NewClient(opts...)
}

func middleware(m option.Middleware) openai.Client { return openai.NewClient(option.WithMiddleware(m)) }

func unknown(o option.RequestOption) openai.Client { return openai.NewClient(o) }
