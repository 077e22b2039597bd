// Package sdk gives clients of services, which try again by themselves, clients
// that do so too, or calls them in loops.
package sdk

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/hardy/persist"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/stripe/stripe-go/v85"
)

func patient() *http.Client {
	c := persist.New()
	c.Max = 3
	return c.Standard()
}

func stacked(key string) openai.Client {
	return openai.NewClient(
		option.WithAPIKey(key),
		option.WithHTTPClient(patient()), // want `up to 3 × 4 = 12 requests for one call: openai-go tries again by itself, and so does the client that it is given \(persist\); switch one of them off`
	)
}

func more() openai.Client {
	opts := []option.RequestOption{option.WithMaxRetries(4)}
	opts = append(opts, option.WithHTTPClient(patient())) // want `up to 5 × 4 = 20 requests`
	return openai.NewClient(opts...)
}

func switchedOff() openai.Client {
	return openai.NewClient(option.WithHTTPClient(patient()), option.WithMaxRetries(0))
}

func plain() openai.Client {
	return openai.NewClient(option.WithHTTPClient(&http.Client{Timeout: time.Minute}))
}

func unknown(opts ...option.RequestOption) openai.Client {
	return openai.NewClient(append(opts, option.WithHTTPClient(patient()))...)
}

func payments(url string) stripe.Backend {
	return stripe.GetBackendWithConfig(stripe.APIBackend, &stripe.BackendConfig{ // want `up to 3 × 4 = 12 requests for one call: stripe-go tries again by itself`
		HTTPClient: patient(),
	})
}

func paymentsOnce() stripe.Backend {
	return stripe.GetBackendWithConfig(stripe.APIBackend, &stripe.BackendConfig{HTTPClient: patient(), MaxNetworkRetries: stripe.Int64(0)})
}

// clerk keeps a client.
type clerk struct {
	ai   openai.Client
	once openai.Client
}

func hire() *clerk {
	return &clerk{ai: openai.NewClient(), once: openai.NewClient(option.WithMaxRetries(0))}
}

func (c *clerk) ask(ctx context.Context) (err error) {
	for range 4 {
		if _, err = c.ai.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{Model: "m"}); err == nil { // want `up to 4 × 3 = 12 requests for one call: clerk.ask tries again what openai-go \(3 attempts\) has already tried again`
			return nil
		}
		time.Sleep(time.Second)
	}
	return err
}

func (c *clerk) askOnce(ctx context.Context) (err error) {
	for range 4 {
		if _, err = c.once.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{Model: "m"}); err == nil {
			return nil
		}
	}
	return err
}

func (c *clerk) offForThisCall(ctx context.Context) (err error) {
	for range 4 {
		if _, err = c.ai.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{Model: "m"}, option.WithMaxRetries(0)); err == nil {
			return nil
		}
	}
	return err
}

// A third layer: what the client is given tries again as well.
func thirds(ctx context.Context) (err error) {
	c := openai.NewClient(option.WithMaxRetries(1), option.WithHTTPClient(patient())) // want `up to 2 × 4 = 8 requests for one call: openai-go`
	for range 3 {
		if _, err = c.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{Model: "m"}); err == nil { // want `up to 3 × 2 × 4 = 24 requests for one call: thirds tries again what openai-go \(2 attempts\)`
			return nil
		}
	}
	return err
}

var errFull = errors.New("full")

// Silent: it tries again after an error of its own only.
func (c *clerk) full(ctx context.Context) (err error) {
	for range 4 {
		_, err = c.ai.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{Model: "m"})
		if !errors.Is(err, errFull) {
			return err
		}
	}
	return err
}

// Silent: nobody knows with which options the client was made.
func given(ctx context.Context, ai *openai.Client) (err error) {
	for range 4 {
		if _, err = ai.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{Model: "m"}); err == nil {
			return nil
		}
	}
	return err
}

func use(ctx context.Context) {
	c := hire()
	_, _, _, _ = c.ask(ctx), c.askOnce(ctx), c.offForThisCall(ctx), c.full(ctx)
	_, _, _, _, _, _ = stacked("k"), more(), switchedOff(), plain(), unknown(), payments("u")
	_, _ = paymentsOnce(), given(ctx, nil)
}
