package libraries

import (
	"context"
	"errors"
	"net/http"
	neturl "net/url"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/storage"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	azpolicy "github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	azruntime "github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/PuerkitoBio/rehttp"
	avast4 "github.com/avast/retry-go/v4"
	backoff4 "github.com/cenkalti/backoff/v4"
	backoff5 "github.com/cenkalti/backoff/v5"
	"github.com/elastic/elastic-transport-go/v8/elastictransport"
	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
	"github.com/go-resty/resty/v2"
	"github.com/hashicorp/go-retryablehttp"
	openai3 "github.com/openai/openai-go/v3"
	openai3option "github.com/openai/openai-go/v3/option"
	sethvargo "github.com/sethvargo/go-retry"
	"google.golang.org/api/option"
	resty3 "resty.dev/v3"

	"github.com/resiliencevet/resiliencevet/internal/apis"
)

// TestWithContext gives their context to those that hear it only so.
func TestWithContext(t *testing.T) {
	again := func(ctx context.Context, c *http.Client, method string) func() error {
		return func() error { return ask(ctx, c.Do, method, "") }
	}
	for _, s := range []specimen{
		{module: "github.com/cenkalti/backoff/v4", policy: "exponential",
			send: func(ctx context.Context, c *http.Client, method, _ string) error {
				return backoff4.Retry(again(ctx, c, method), backoff4.WithContext(backoff4.NewExponentialBackOff(), ctx))
			}},
		{module: "github.com/avast/retry-go/v4", policy: "do",
			send: func(ctx context.Context, c *http.Client, method, _ string) error {
				return avast4.Do(again(ctx, c, method), avast4.Context(ctx))
			}},
		{module: "github.com/failsafe-go/failsafe-go", policy: "retry",
			send: func(ctx context.Context, c *http.Client, method, _ string) error {
				slow := retrypolicy.NewBuilder[any]().WithDelay(time.Second).Build()
				return failsafe.With(slow).WithContext(ctx).Run(again(ctx, c, method))
			}},
	} {
		t.Run(s.module, func(t *testing.T) {
			p := policyOf(t, s.module, s.policy)
			if p.Context != apis.OnOption {
				t.Fatalf("heard %d without the option", p.Context)
			}
			p.Context = apis.Hears
			p.Wait = max(p.Wait, time.Second) // failsafe's is the caller's
			s.context(t, p, "POST")
		})
	}
}

// TestElapsed lets what has no number of attempts come to its end.
func TestElapsed(t *testing.T) {
	for name, run := range map[string]struct {
		module, policy string
		send           func(context.Context, func() error) error
	}{
		"v4": {"github.com/cenkalti/backoff/v4", "exponential", func(_ context.Context, f func() error) error {
			return backoff4.Retry(f, backoff4.NewExponentialBackOff())
		}},
		"v5": {"github.com/cenkalti/backoff/v5", "retry", func(ctx context.Context, f func() error) error {
			_, err := backoff5.Retry(ctx, func() (int, error) { return 0, f() })
			return err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			inHarbour(t, refusing(503), func(t *testing.T, h *harbour) {
				start := time.Now()
				if run.send(t.Context(), func() error { return ask(t.Context(), h.client.Do, "POST", "") }) == nil {
					t.Error("every attempt has failed, and there is no error")
				}
				ends(t, policyOf(t, run.module, run.policy), h.arrivals(), start)
			})
		})
	}
}

// TestMarks returns errors that are final, and errors that nobody has marked.
func TestMarks(t *testing.T) {
	closed := errors.New("the harbour is closed")
	for name, run := range map[string]func(func() error) error{
		"backoff v4": func(f func() error) error {
			return backoff4.Retry(func() error { return backoff4.Permanent(f()) }, &backoff4.ZeroBackOff{})
		},
		"backoff v5": func(f func() error) error {
			_, err := backoff5.Retry(t.Context(), func() (int, error) { return 0, backoff5.Permanent(f()) })
			return err
		},
		"retry-go": func(f func() error) error {
			return avast4.Do(func() error { return avast4.Unrecoverable(f()) })
		},
		"go-retry": func(f func() error) error {
			return sethvargo.Do(t.Context(), sethvargo.NewConstant(time.Second), func(context.Context) error { return f() })
		},
	} {
		calls := 0
		if err := run(func() error { calls++; return closed }); err == nil || calls != 1 {
			t.Errorf("%s: called %d times, %v", name, calls, err)
		}
	}
}

// TestFilters turns a policy off, or on for other methods.
func TestFilters(t *testing.T) {
	for name, f := range map[string]struct {
		module, policy string
		answer         http.HandlerFunc
		attempts       func(apis.Policy) int
		send           func(ctx context.Context, c *http.Client) error
	}{
		"rehttp, GET only": {"github.com/PuerkitoBio/rehttp", "transport", refusing(503), once,
			func(ctx context.Context, c *http.Client) error {
				rt := rehttp.NewTransport(c.Transport, rehttp.RetryHTTPMethods("GET"), rehttp.ConstDelay(0))
				return ask(ctx, rt.RoundTrip, "POST", "")
			}},
		"resty v3, POST too": {"resty.dev/v3", "client", silent, func(apis.Policy) int { return three },
			func(ctx context.Context, c *http.Client) error {
				client := resty3.NewWithClient(c).SetLogger(quiet{}).SetRetryCount(three - 1).SetRetryAllowNonIdempotent(true)
				_, err := client.R().SetContext(ctx).Post(url)
				return err
			}},
		"elastic, off": {"github.com/elastic/elastic-transport-go/v8", "transport", refusing(503), once,
			func(ctx context.Context, c *http.Client) error {
				to, err := neturl.Parse(url)
				if err != nil {
					return err
				}
				client, err := elastictransport.New(elastictransport.Config{
					URLs: []*neturl.URL{to}, Transport: c.Transport, DisableRetry: true,
				})
				if err != nil {
					return err
				}
				return ask(ctx, client.Perform, "POST", "")
			}},
		"storage, never": {"cloud.google.com/go/storage", "read", refusing(503), once,
			func(ctx context.Context, c *http.Client) error { return deleteBerth(ctx, c, storage.RetryNever) }},
		"storage, a DELETE": {"cloud.google.com/go/storage", "read", refusing(503), once,
			func(ctx context.Context, c *http.Client) error { return deleteBerth(ctx, c, storage.RetryIdempotent) }},
		"storage, always": {"cloud.google.com/go/storage", "read", refusing(503),
			func(p apis.Policy) int { return wanted(p.Attempts) },
			func(ctx context.Context, c *http.Client) error { return deleteBerth(ctx, c, storage.RetryAlways) }},
		"resty v2, one condition": {"github.com/go-resty/resty/v2", "client", hangingUp, once,
			func(ctx context.Context, c *http.Client) error {
				client := resty.NewWithClient(c).SetLogger(quiet{}).SetRetryCount(three - 1)
				client.AddRetryCondition(func(r *resty.Response, _ error) bool { return r.StatusCode() == 503 })
				_, err := client.R().SetContext(ctx).Post(url)
				return err
			}},
	} {
		t.Run(name, func(t *testing.T) {
			want := f.attempts(policyOf(t, f.module, f.policy))
			inHarbour(t, limited(f.answer), func(t *testing.T, h *harbour) {
				h.client.Timeout = 20 * time.Second
				_ = f.send(t.Context(), h.client)
				if got := len(h.arrivals()); got != want {
					t.Errorf("the server received %d requests, want %d", got, want)
				}
			})
		})
	}
}

func once(apis.Policy) int { return 1 }

// deleteBerth deletes an object, of whatever generation.
func deleteBerth(ctx context.Context, c *http.Client, policy storage.RetryPolicy) error {
	client, err := storage.NewClient(ctx, option.WithHTTPClient(c), option.WithEndpoint(base))
	if err != nil {
		return err
	}
	return client.Bucket("berths").Retryer(storage.WithPolicy(policy)).Object("7").Delete(ctx)
}

// TestPerAttempt counts how often hooks run for one call.
func TestPerAttempt(t *testing.T) {
	for name, send := range map[string]func(ctx context.Context, c *http.Client, hook func()) error{
		"retryablehttp": func(ctx context.Context, c *http.Client, hook func()) error {
			client := retryablehttp.NewClient()
			client.HTTPClient, client.Logger = c, nil
			client.RequestLogHook = func(retryablehttp.Logger, *http.Request, int) { hook() }
			return ask(ctx, client.StandardClient().Do, "POST", "")
		},
		"openai": func(ctx context.Context, c *http.Client, hook func()) error {
			client := newOpenAI3(c, openai3option.WithMiddleware(
				func(r *http.Request, next openai3option.MiddlewareNext) (*http.Response, error) {
					hook()
					return next(r)
				}))
			_, err := client.Chat.Completions.New(ctx, openai3.ChatCompletionNewParams{Model: "m"})
			return err
		},
		"azcore": func(ctx context.Context, c *http.Client, hook func()) error {
			pipeline := azruntime.NewPipeline("harbour", "v1.0.0", azruntime.PipelineOptions{},
				&azcore.ClientOptions{Transport: c, PerRetryPolicies: []azpolicy.Policy{hookPolicy(hook)}})
			req, err := azruntime.NewRequest(ctx, "POST", url)
			if err != nil {
				return err
			}
			return answered(pipeline.Do(req))
		},
		"resty v2": func(ctx context.Context, c *http.Client, hook func()) error {
			client := resty.NewWithClient(c).SetLogger(quiet{}).SetRetryCount(three - 1)
			client.AddRetryCondition(func(*resty.Response, error) bool { return true })
			client.OnBeforeRequest(func(*resty.Client, *resty.Request) error { hook(); return nil })
			_, err := client.R().SetContext(ctx).Post(url)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			inHarbour(t, refusing(503), func(t *testing.T, h *harbour) {
				hooks := 0
				_ = send(t.Context(), h.client, func() { hooks++ })
				if got := len(h.arrivals()); got < 2 || hooks != got {
					t.Errorf("the hook ran %d times, the server received %d requests", hooks, got)
				}
			})
		})
	}
}

// hookPolicy is a policy of azcore that goes on.
type hookPolicy func()

func (f hookPolicy) Do(r *azpolicy.Request) (*http.Response, error) {
	f()
	return r.Next()
}

// TestReaders gives a reader of the caller's to a client whose second attempt does
// not make it anew.
func TestReaders(t *testing.T) {
	if p := policyOf(t, "github.com/go-resty/resty/v2", "client"); p.Body != apis.ReadersConsumed {
		t.Fatalf("the table says %d of bodies", p.Body)
	}
	inHarbour(t, hangingUp, func(t *testing.T, h *harbour) {
		client := resty.NewWithClient(h.client).SetLogger(quiet{}).SetRetryCount(three - 1)
		_, _ = client.R().SetContext(t.Context()).SetBody(strings.NewReader("one ticket")).Post(url)
		got := h.arrivals()
		if len(got) != three || got[0].body != "one ticket" || got[1].body != "" {
			t.Errorf("the attempts brought %s, want nothing after the first", bodies(got))
		}
	})
}
