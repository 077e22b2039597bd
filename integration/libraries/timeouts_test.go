package libraries

import (
	"context"
	"io"
	"net/http"
	"slices"
	"testing"
	"time"

	azpolicy "github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/PuerkitoBio/rehttp"
	"github.com/anthropics/anthropic-sdk-go"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/option"
	"github.com/go-resty/resty/v2"
	openai3 "github.com/openai/openai-go/v3"
	openai3option "github.com/openai/openai-go/v3/option"
	"google.golang.org/genai"
	resty3 "resty.dev/v3"

	"github.com/resiliencevet/resiliencevet/internal/apis"
)

// TestTimeouts sends headers, and of the body only the beginning. What bounds an
// attempt, or the whole call, ends the reading; the server sees the client leave.
func TestTimeouts(t *testing.T) {
	const limit = 3 * time.Second
	for _, test := range []struct {
		module, symbol string
		send           func(ctx context.Context, c *http.Client) error
	}{
		{"github.com/openai/openai-go/v3", "option.WithRequestTimeout", func(ctx context.Context, c *http.Client) error {
			client := newOpenAI3(c, openai3option.WithRequestTimeout(limit))
			_, err := client.Chat.Completions.New(ctx, openai3.ChatCompletionNewParams{Model: "m"})
			return err
		}},
		{"github.com/anthropics/anthropic-sdk-go", "option.WithRequestTimeout", func(ctx context.Context, c *http.Client) error {
			client := anthropic.NewClient(anthropicoption.WithoutEnvironmentDefaults(), anthropicoption.WithHTTPClient(c),
				anthropicoption.WithBaseURL(base), anthropicoption.WithAPIKey("k"))
			_, err := client.Messages.New(ctx, anthropic.MessageNewParams{Model: "m", MaxTokens: 9},
				anthropicoption.WithRequestTimeout(limit))
			return err
		}},
		{"github.com/Azure/azure-sdk-for-go/sdk/azcore", "policy.RetryOptions.TryTimeout", func(ctx context.Context, c *http.Client) error {
			return azure(ctx, c, "GET", "", azpolicy.RetryOptions{TryTimeout: limit, MaxRetries: -1})
		}},
		{"github.com/go-resty/resty/v2", "Client.SetTimeout", func(ctx context.Context, c *http.Client) error {
			_, err := resty.NewWithClient(c).SetLogger(quiet{}).SetTimeout(limit).R().SetContext(ctx).Get(url)
			return err
		}},
		{"resty.dev/v3", "Client.SetTimeout", func(ctx context.Context, c *http.Client) error {
			_, err := resty3.NewWithClient(c).SetLogger(quiet{}).SetTimeout(limit).R().SetContext(ctx).SetResult(new(string)).Get(url)
			return err
		}},
		{"github.com/PuerkitoBio/rehttp", "Transport.PerAttemptTimeout", func(ctx context.Context, c *http.Client) error {
			rt := rehttp.NewTransport(c.Transport, rehttp.RetryMaxRetries(0), rehttp.ConstDelay(0))
			rt.PerAttemptTimeout = limit
			return read(ctx, rt.RoundTrip)
		}},
		{"google.golang.org/genai", "HTTPOptions.Timeout", func(ctx context.Context, c *http.Client) error {
			total := limit
			return gemini(ctx, c, genai.HTTPOptions{BaseURL: base, Timeout: &total})
		}},
	} {
		t.Run(test.module, func(t *testing.T) {
			l := row(t, test.module)
			i := slices.IndexFunc(l.Symbols, func(s apis.Symbol) bool {
				return s.String() == test.symbol && s.Role == apis.Timeout
			})
			if i < 0 {
				t.Fatalf("there is no timeout %s", test.symbol)
			}
			var left []time.Duration
			begins := func(w http.ResponseWriter, r *http.Request) {
				start := time.Now()
				w.Header().Set("Content-Type", "application/json")
				_, _ = w.Write([]byte(`{"id":`))
				w.(http.Flusher).Flush()
				<-r.Context().Done()
				left = append(left, time.Since(start))
			}
			inHarbour(t, begins, func(t *testing.T, h *harbour) {
				if err := test.send(t.Context(), h.client); err == nil {
					t.Error("half an answer, and no error")
				}
			})
			covered := len(left) > 0 && left[0] == limit
			body := l.Symbols[i].Covers == apis.EachAttempt || l.Symbols[i].Covers == apis.WholeCall
			if covered != body {
				t.Errorf("the client left after %v of %s: the body is covered %t, want %t", left, limit, covered, body)
			}
		})
	}
}

// read reads an answer to its end.
func read(ctx context.Context, do func(*http.Request) (*http.Response, error)) error {
	req, err := http.NewRequestWithContext(ctx, "GET", url, nil)
	if err != nil {
		return err
	}
	res, err := do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	_, err = io.ReadAll(res.Body)
	return err
}

// TestKeys looks for idempotency keys that nobody asked for: Stripe's is one for
// all attempts, the SDKs of language models have none.
func TestKeys(t *testing.T) {
	inHarbour(t, hangingUp, func(t *testing.T, h *harbour) {
		_ = charge(t.Context(), h.client, nil)
		keys := make(map[string]int)
		for _, a := range h.arrivals() {
			keys[a.header.Get("Idempotency-Key")]++
		}
		if len(keys) != 1 || keys[""] != 0 {
			t.Errorf("the attempts of one charge carried %v", keys)
		}
	})
	inHarbour(t, hangingUp, func(t *testing.T, h *harbour) {
		client := newOpenAI3(h.client)
		_, _ = client.Chat.Completions.New(t.Context(), openai3.ChatCompletionNewParams{Model: "m"})
		for _, a := range h.arrivals() {
			if key := a.header.Get("Idempotency-Key"); key != "" {
				t.Errorf("an attempt of one completion carried %s", key)
			}
		}
	})
}
