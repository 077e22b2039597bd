package sdkstreams_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/anthropics/anthropic-sdk-go"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/option"
	"github.com/openai/openai-go/v3"
	openaioption "github.com/openai/openai-go/v3/option"

	"github.com/resiliencevet/resiliencevet/integration/sdkstreams"
	"github.com/resiliencevet/resiliencevet/resilience"
)

const second = time.Second

func openAI(hc *http.Client) openai.Client {
	return openai.NewClient(openaioption.WithHTTPClient(hc), openaioption.WithBaseURL("http://provider.test/v1/"), openaioption.WithAPIKey("k"), openaioption.WithMaxRetries(0))
}

func claude(hc *http.Client) anthropic.Client {
	return anthropic.NewClient(anthropicoption.WithoutEnvironmentDefaults(), anthropicoption.WithHTTPClient(hc),
		anthropicoption.WithBaseURL("http://provider.test/"), anthropicoption.WithAPIKey("k"), anthropicoption.WithMaxRetries(0))
}

// The two SDKs, against servers that write as their providers do.
func TestBudgets(t *testing.T) {
	for name, sdk := range map[string]struct {
		wire wire
		ask  func(context.Context, *http.Client, func(string)) error
	}{
		"openai": {openAIWire, func(ctx context.Context, hc *http.Client, show func(string)) error {
			return sdkstreams.OpenAI(ctx, openAI(hc), "When is high tide?", show)
		}},
		"anthropic": {anthropicWire, func(ctx context.Context, hc *http.Client, show func(string)) error {
			return sdkstreams.Anthropic(ctx, claude(hc), "When is high tide?", show)
		}},
	} {
		for then, want := range map[string]struct {
			thinks time.Duration
			pieces int
			err    error
			says   string
			took   time.Duration
			left   time.Duration // -1: the server was not left
		}{
			"end":           {0, 100, nil, "", 5 * second, -1},
			"end, thinking": {25 * second, 100, nil, "", 30 * second, -1},
			"end, too late": {40 * second, 0, resilience.ErrFirstToken, "no content", 30 * second, 30 * second},
			"cut":           {0, 100, resilience.ErrTruncated, "100 of content", 5 * second, -1},
			"fail":          {0, 100, nil, "verloaded", 5 * second, -1},
			"reset":         {0, 100, io.ErrUnexpectedEOF, "", 5 * second, -1},
			"stall":         {0, 100, resilience.ErrIdle, "none for 15s", 20 * second, 20 * second},
			"ping":          {0, 100, resilience.ErrIdle, "none for 15s", 20 * second, 20 * second},
		} {
			t.Run(name+" "+then, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					kind, _, _ := strings.Cut(then, ",")
					p := &provider{wire: sdk.wire, thinks: want.thinks, pieces: 100, then: kind}
					hc, stop := serve(p)
					shown := 0
					err := sdk.ask(t.Context(), hc, func(string) { shown++ })
					took := time.Since(p.began)
					stop()
					failed := want.err != nil || want.says != ""
					if shown != want.pieces || (err != nil) != failed || want.err != nil && !errors.Is(err, want.err) || failed && !strings.Contains(err.Error(), want.says) {
						t.Errorf("%d pieces, %v; want %d, %v %s", shown, err, want.pieces, want.err, want.says)
					}
					if took != want.took || p.left != want.left || p.requests != 1 {
						t.Errorf("it took %v with %d requests, and the server was left at %v; want %v, 1, %v", took, p.requests, p.left, want.took, want.left)
					}
				})
			})
		}
	}
}

// A complete answer leaves its connection to the next one, where the SDK reads to
// the end of the body: OpenAI's closes it at [DONE], with or without a budget.
func TestConnection(t *testing.T) {
	for name, c := range map[string]struct {
		wire    wire
		dialled int // for three answers
		ask     func(context.Context, *http.Client) error
	}{
		"openai": {openAIWire, 3, func(ctx context.Context, hc *http.Client) error {
			return sdkstreams.OpenAI(ctx, openAI(hc), "?", func(string) {})
		}},
		"anthropic": {anthropicWire, 1, func(ctx context.Context, hc *http.Client) error {
			return sdkstreams.Anthropic(ctx, claude(hc), "?", func(string) {})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &provider{wire: c.wire, pieces: 10, then: "end"}
				hc, stop := serve(p)
				for range 3 {
					if err := c.ask(t.Context(), hc); err != nil {
						t.Error(err)
					}
					synctest.Wait()
				}
				stop()
				if p.dialled != c.dialled {
					t.Errorf("%d connections for three answers, want %d", p.dialled, c.dialled)
				}
			})
		})
	}
}

// What the SDKs say by themselves of an answer that was cut off in order, and how
// long they wait for one that stalls.
func TestBare(t *testing.T) {
	type stream interface {
		Next() bool
		Err() error
		Close() error
	}
	for name, sdk := range map[string]struct {
		wire wire
		open func(context.Context, *http.Client) stream
	}{
		"openai": {openAIWire, func(ctx context.Context, hc *http.Client) stream {
			client := openAI(hc)
			return client.Chat.Completions.NewStreaming(ctx, openai.ChatCompletionNewParams{Model: "m", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("?")}})
		}},
		"anthropic": {anthropicWire, func(ctx context.Context, hc *http.Client) stream {
			client := claude(hc)
			return client.Messages.NewStreaming(ctx, anthropic.MessageNewParams{Model: "m", MaxTokens: 1024, Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("?"))}})
		}},
	} {
		for then, want := range map[string]time.Duration{"cut": 5 * second, "stall": time.Hour} {
			t.Run(name+" "+then, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					p := &provider{wire: sdk.wire, pieces: 100, then: then}
					hc, stop := serve(p)
					ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
					defer cancel()
					s := sdk.open(ctx, hc)
					for s.Next() {
					}
					if took := time.Since(p.began); took != want || (s.Err() == nil) != (then == "cut") {
						t.Errorf("%v after %v; want an end after %v", s.Err(), took, want)
					}
					_ = s.Close()
					stop()
				})
			})
		}
	}
}
