package libraries

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	azpolicy "github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/PuerkitoBio/rehttp"
	avast4 "github.com/avast/retry-go/v4"
	avast5 "github.com/avast/retry-go/v5"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	backoff4 "github.com/cenkalti/backoff/v4"
	backoff5 "github.com/cenkalti/backoff/v5"
	"github.com/eapache/go-resiliency/retrier"
	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
	"github.com/go-resty/resty/v2"
	"github.com/gojek/heimdall/v7/httpclient"
	"github.com/hashicorp/go-retryablehttp"
	sethvargo "github.com/sethvargo/go-retry"
	"k8s.io/client-go/rest"
	resty3 "resty.dev/v3"

	"github.com/resiliencevet/resiliencevet/internal/apis"
)

// A number is a symbol that sets a number of attempts.
type number struct {
	module, symbol string
	unsigned       bool // there is nothing below zero
	alone          bool // it takes no number
	bare           bool // as a specimen's
	send           func(ctx context.Context, c *http.Client, n int) error
}

// TestNumbers gives each of them what is below zero, zero, one and four, and
// counts what a server receives.
func TestNumbers(t *testing.T) {
	for _, n := range slices.Concat(functionNumbers(), clientNumbers(), sdkNumbers()) {
		t.Run(n.module+" "+n.symbol, func(t *testing.T) {
			s, p := symbolOf(t, n.module, n.symbol)
			given := []int{-1, 0, 1, 4}
			if n.unsigned {
				given = given[1:]
			}
			if n.alone {
				given = []int{0}
			}
			for _, value := range given {
				t.Run(fmt.Sprint(value), func(t *testing.T) { n.count(t, s, p, value) })
			}
		})
	}
}

// symbolOf is the row of a name, and its policy.
func symbolOf(t *testing.T, module, name string) (apis.Symbol, apis.Policy) {
	t.Helper()
	for _, s := range row(t, module).Symbols {
		if s.String() == name && s.Role == apis.Attempts {
			return s, policyOf(t, module, s.Policy)
		}
	}
	t.Fatalf("%s has no number %s", module, name)
	return apis.Symbol{}, apis.Policy{}
}

func (n number) count(t *testing.T, s apis.Symbol, p apis.Policy, value int) {
	want, meaning := max(0, value+s.Count.Plus), apis.AsCounted
	switch {
	case value == 0:
		meaning = s.Count.Zero
	case value < 0:
		meaning = s.Count.Negative
	}
	switch meaning {
	case apis.Default:
		want = wanted(p.Attempts)
	case apis.Off:
		want = 1
	case apis.NoLimit:
		want = enough + 1
	case apis.Panics:
		want = 0
	}
	answer := refusing(503, "Retry-After", "1")
	if p.After&(apis.Unavailable|apis.Asked|apis.Every|apis.Marked) == 0 {
		answer = hangingUp
	}
	if p.After == apis.TimedOut {
		answer = silent
	}
	if n.bare {
		answer = withoutBody(answer)
	}
	inHarbour(t, limited(answer), func(t *testing.T, h *harbour) {
		h.client.Transport.(*http.Transport).DisableKeepAlives = !n.bare
		h.client.Timeout = 20 * time.Second
		panicked, err := protect(func() error { return n.send(t.Context(), h.client, value) })
		if refused := panicked || meaning == apis.Panics && err != nil; refused != (meaning == apis.Panics) {
			t.Errorf("panic %t, error %v, want a refusal: %t", panicked, err, meaning == apis.Panics)
		}
		if got := len(h.arrivals()); got != want {
			t.Errorf("given %d the server received %d requests, want %d (%v)", value, got, want, err)
		}
	})
}

// protect says whether f panics.
func protect(f func() error) (panicked bool, err error) {
	defer func() {
		if recover() != nil {
			panicked = true
		}
	}()
	return false, f()
}

// functionNumbers are those of libraries that repeat a function.
func functionNumbers() []number {
	again := func(ctx context.Context, c *http.Client) func() error {
		return func() error { return ask(ctx, c.Do, "POST", "") }
	}
	failsafely := func(ctx context.Context, c *http.Client, b retrypolicy.Builder[any]) error {
		return failsafe.With(b.Build()).Run(again(ctx, c))
	}
	return []number{
		{module: "github.com/cenkalti/backoff/v4", symbol: "WithMaxRetries", unsigned: true,
			send: func(ctx context.Context, c *http.Client, n int) error {
				return backoff4.Retry(again(ctx, c), backoff4.WithMaxRetries(&backoff4.ZeroBackOff{}, uint64(n)))
			}},
		{module: "github.com/cenkalti/backoff/v5", symbol: "WithMaxTries", unsigned: true,
			send: func(ctx context.Context, c *http.Client, n int) error {
				f := again(ctx, c)
				_, err := backoff5.Retry(ctx, func() (int, error) { return 0, f() }, backoff5.WithMaxTries(uint(n)))
				return err
			}},
		{module: "github.com/avast/retry-go/v4", symbol: "Attempts", unsigned: true,
			send: func(ctx context.Context, c *http.Client, n int) error {
				return avast4.Do(again(ctx, c), avast4.Attempts(uint(n)))
			}},
		{module: "github.com/avast/retry-go/v5", symbol: "Attempts", unsigned: true,
			send: func(ctx context.Context, c *http.Client, n int) error {
				return avast5.New(avast5.Attempts(uint(n))).Do(again(ctx, c))
			}},
		{module: "github.com/avast/retry-go/v4", symbol: "UntilSucceeded", alone: true,
			send: func(ctx context.Context, c *http.Client, _ int) error {
				return avast4.Do(again(ctx, c), avast4.UntilSucceeded())
			}},
		{module: "github.com/sethvargo/go-retry", symbol: "WithMaxRetries", unsigned: true,
			send: func(ctx context.Context, c *http.Client, n int) error {
				return sethvargo.Do(ctx, sethvargo.WithMaxRetries(uint64(n), sethvargo.NewConstant(time.Second)), marked(c, "POST", ""))
			}},
		{module: "github.com/failsafe-go/failsafe-go", symbol: "retrypolicy.Builder.WithMaxRetries",
			send: func(ctx context.Context, c *http.Client, n int) error {
				return failsafely(ctx, c, retrypolicy.NewBuilder[any]().WithMaxRetries(n))
			}},
		{module: "github.com/failsafe-go/failsafe-go", symbol: "retrypolicy.Builder.WithMaxAttempts",
			send: func(ctx context.Context, c *http.Client, n int) error {
				return failsafely(ctx, c, retrypolicy.NewBuilder[any]().WithMaxAttempts(n))
			}},
		{module: "github.com/eapache/go-resiliency", symbol: "retrier.New", unsigned: true,
			send: func(ctx context.Context, c *http.Client, n int) error {
				return retrier.New(make([]time.Duration, n), nil).Run(again(ctx, c))
			}},
		{module: "github.com/eapache/go-resiliency", symbol: "retrier.Retrier.WithInfiniteRetry", alone: true,
			send: func(ctx context.Context, c *http.Client, _ int) error {
				return retrier.New(make([]time.Duration, 1), nil).WithInfiniteRetry().Run(again(ctx, c))
			}},
		{module: "github.com/go-resty/resty/v2", symbol: "Retries",
			send: func(ctx context.Context, c *http.Client, n int) error {
				return resty.Backoff(func() (*resty.Response, error) { return nil, again(ctx, c)() }, resty.Retries(n))
			}},
	}
}

// clientNumbers are those of HTTP clients and transports.
func clientNumbers() []number {
	return []number{
		{module: "github.com/hashicorp/go-retryablehttp", symbol: "Client.RetryMax",
			send: func(ctx context.Context, c *http.Client, n int) error {
				client := retryablehttp.NewClient()
				client.HTTPClient, client.Logger, client.RetryMax = c, nil, n
				return ask(ctx, client.StandardClient().Do, "POST", "")
			}},
		{module: "github.com/PuerkitoBio/rehttp", symbol: "RetryMaxRetries",
			send: func(ctx context.Context, c *http.Client, n int) error {
				rt := rehttp.NewTransport(roundTripper(c.Do), rehttp.RetryMaxRetries(n), rehttp.ConstDelay(0))
				return ask(ctx, rt.RoundTrip, "POST", "")
			}},
		{module: "github.com/gojek/heimdall/v7", symbol: "httpclient.WithRetryCount",
			send: func(ctx context.Context, c *http.Client, n int) error {
				client := httpclient.NewClient(httpclient.WithHTTPClient(c), httpclient.WithRetryCount(n))
				return ask(ctx, client.Do, "POST", "")
			}},
		{module: "github.com/go-resty/resty/v2", symbol: "Client.SetRetryCount",
			send: func(ctx context.Context, c *http.Client, n int) error {
				_, err := resty.NewWithClient(c).SetLogger(quiet{}).SetRetryCount(n).R().SetContext(ctx).Post(url)
				return err
			}},
		{module: "resty.dev/v3", symbol: "Client.SetRetryCount",
			send: func(ctx context.Context, c *http.Client, n int) error {
				_, err := resty3.NewWithClient(c).SetLogger(quiet{}).SetRetryCount(n).R().SetContext(ctx).Get(url)
				return err
			}},
	}
}

// sdkNumbers are those of SDKs.
func sdkNumbers() []number {
	converse := func(ctx context.Context, cfg aws.Config) error {
		_, err := bedrockruntime.NewFromConfig(cfg).Converse(ctx, &bedrockruntime.ConverseInput{ModelId: aws.String("m")})
		return err
	}
	return append([]number{
		{module: "github.com/Azure/azure-sdk-for-go/sdk/azcore", symbol: "policy.RetryOptions.MaxRetries",
			send: func(ctx context.Context, c *http.Client, n int) error {
				return azure(ctx, c, "POST", "", azpolicy.RetryOptions{MaxRetries: int32(n)})
			}},
		{module: "github.com/aws/aws-sdk-go-v2", symbol: "aws.Config.RetryMaxAttempts",
			send: func(ctx context.Context, c *http.Client, n int) error {
				cfg := awsConfig(c)
				cfg.RetryMaxAttempts = n
				return converse(ctx, cfg)
			}},
		{module: "github.com/aws/aws-sdk-go-v2", symbol: "aws/retry.AddWithMaxAttempts",
			send: func(ctx context.Context, c *http.Client, n int) error {
				cfg := awsConfig(c)
				cfg.Retryer = func() aws.Retryer { return retry.AddWithMaxAttempts(retry.NewStandard(), n) }
				return converse(ctx, cfg)
			}},
		{module: "github.com/aws/aws-sdk-go-v2", symbol: "aws/retry.StandardOptions.MaxAttempts",
			send: func(ctx context.Context, c *http.Client, n int) error {
				cfg := awsConfig(c)
				cfg.Retryer = func() aws.Retryer {
					return retry.NewStandard(func(o *retry.StandardOptions) { o.MaxAttempts = n })
				}
				return converse(ctx, cfg)
			}},
		{module: "github.com/aws/aws-sdk-go-v2/config", symbol: "WithRetryMaxAttempts",
			send: func(ctx context.Context, c *http.Client, n int) error {
				ours := awsConfig(c)
				cfg, err := config.LoadDefaultConfig(ctx, config.WithHTTPClient(c), config.WithRegion(ours.Region),
					config.WithCredentialsProvider(ours.Credentials), config.WithBaseEndpoint(base),
					config.WithSharedConfigFiles(nil), config.WithSharedCredentialsFiles(nil), config.WithRetryMaxAttempts(n))
				if err != nil {
					return err
				}
				return converse(ctx, cfg)
			}},
		{module: "github.com/aws/aws-sdk-go-v2/service/*", symbol: "Options.RetryMaxAttempts",
			send: func(ctx context.Context, c *http.Client, n int) error {
				client := bedrockruntime.NewFromConfig(awsConfig(c), func(o *bedrockruntime.Options) { o.RetryMaxAttempts = n })
				_, err := client.Converse(ctx, &bedrockruntime.ConverseInput{ModelId: aws.String("m")})
				return err
			}},
		{module: "k8s.io/client-go", symbol: "rest.Request.MaxRetries",
			send: func(ctx context.Context, c *http.Client, n int) error {
				return kube(ctx, c, "POST", "", func(r *rest.Request) *rest.Request { return r.MaxRetries(n) })
			}},
	}, modelNumbers()...)
}
