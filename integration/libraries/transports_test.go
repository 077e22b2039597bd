package libraries

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	neturl "net/url"
	"strings"
	"time"

	"github.com/PuerkitoBio/rehttp"
	avast4 "github.com/avast/retry-go/v4"
	avast5 "github.com/avast/retry-go/v5"
	backoff4 "github.com/cenkalti/backoff/v4"
	backoff5 "github.com/cenkalti/backoff/v5"
	"github.com/eapache/go-resiliency/retrier"
	"github.com/elastic/elastic-transport-go/v8/elastictransport"
	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/failsafehttp"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
	"github.com/go-resty/resty/v2"
	"github.com/gojek/heimdall/v7/httpclient"
	"github.com/gojek/heimdall/v7/hystrix"
	"github.com/googleapis/gax-go/v2"
	"github.com/hashicorp/go-retryablehttp"
	sethvargo "github.com/sethvargo/go-retry"
	resty3 "resty.dev/v3"
)

// ask sends one request by an HTTP client, and makes an error of what is none.
func ask(ctx context.Context, do func(*http.Request) (*http.Response, error), method, body string) error {
	var r io.Reader
	if body != "" {
		r = io.MultiReader(strings.NewReader(body)) // whose length is not known
	}
	req, err := http.NewRequestWithContext(ctx, method, url, r)
	if err != nil {
		return err
	}
	return answered(do(req))
}

// answered makes an error of an answer that is one.
func answered(res *http.Response, err error) error {
	if err != nil {
		return err
	}
	if res == nil {
		return fmt.Errorf("neither an answer nor an error")
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode >= 400 {
		return fmt.Errorf("status %s", res.Status)
	}
	return nil
}

// three is how many attempts a specimen asks for that would make one by default.
const three = 3

// transports are libraries that send, or repeat, whatever they are given.
func transports() []specimen {
	closure := func(ctx context.Context, c *http.Client, method, body string) func() error {
		return func() error { return ask(ctx, c.Do, method, body) }
	}
	return append([]specimen{
		{
			module: "github.com/hashicorp/go-retryablehttp", policy: "client",
			send: func(ctx context.Context, c *http.Client, method, body string) error {
				client := retryablehttp.NewClient()
				client.HTTPClient, client.Logger = c, nil
				return ask(ctx, (&retryablehttp.RoundTripper{Client: client}).RoundTrip, method, body)
			},
		},
		{
			module: "github.com/cenkalti/backoff/v4", policy: "exponential",
			send: func(ctx context.Context, c *http.Client, method, body string) error {
				return backoff4.Retry(closure(ctx, c, method, body), backoff4.NewExponentialBackOff())
			},
		},
		{
			module: "github.com/cenkalti/backoff/v4", policy: "constant",
			send: func(ctx context.Context, c *http.Client, method, body string) error {
				return backoff4.Retry(closure(ctx, c, method, body), &backoff4.ZeroBackOff{})
			},
		},
		{
			module: "github.com/cenkalti/backoff/v4", policy: "none",
			send: func(ctx context.Context, c *http.Client, method, body string) error {
				return backoff4.Retry(closure(ctx, c, method, body), &backoff4.StopBackOff{})
			},
		},
		{
			module: "github.com/cenkalti/backoff/v5", policy: "retry",
			send: func(ctx context.Context, c *http.Client, method, body string) error {
				f := closure(ctx, c, method, body)
				_, err := backoff5.Retry(ctx, func() (int, error) { return 0, f() })
				return err
			},
		},
		{
			module: "github.com/avast/retry-go/v4", policy: "do",
			send: func(ctx context.Context, c *http.Client, method, body string) error {
				return avast4.Do(closure(ctx, c, method, body))
			},
		},
		{
			module: "github.com/avast/retry-go/v5", policy: "do",
			send: func(ctx context.Context, c *http.Client, method, body string) error {
				return avast5.New().Do(closure(ctx, c, method, body))
			},
		},
		{
			module: "github.com/sethvargo/go-retry", policy: "exponential", given: true,
			send: func(ctx context.Context, c *http.Client, method, body string) error {
				return sethvargo.Exponential(ctx, time.Second, marked(c, method, body))
			},
		},
		{
			module: "github.com/sethvargo/go-retry", policy: "constant", given: true,
			send: func(ctx context.Context, c *http.Client, method, body string) error {
				return sethvargo.Do(ctx, sethvargo.NewConstant(time.Second), marked(c, method, body))
			},
		},
		{
			module: "github.com/sethvargo/go-retry", policy: "fibonacci", given: true,
			send: func(ctx context.Context, c *http.Client, method, body string) error {
				return sethvargo.Fibonacci(ctx, time.Second, marked(c, method, body))
			},
		},
		{
			module: "github.com/failsafe-go/failsafe-go", policy: "retry",
			send: func(ctx context.Context, c *http.Client, method, body string) error {
				return failsafe.With(retrypolicy.NewWithDefaults[any]()).Run(closure(ctx, c, method, body))
			},
		},
		{
			module: "github.com/failsafe-go/failsafe-go", policy: "http",
			send: func(ctx context.Context, c *http.Client, method, body string) error {
				rt := failsafehttp.NewRoundTripper(roundTripper(c.Do), failsafehttp.NewRetryPolicyBuilder().Build())
				return ask(ctx, rt.RoundTrip, method, body)
			},
		},
		{
			module: "github.com/eapache/go-resiliency", policy: "retrier", attempts: three, given: true,
			send: func(ctx context.Context, c *http.Client, method, body string) error {
				return retrier.New(retrier.ConstantBackoff(three-1, time.Second), nil).Run(closure(ctx, c, method, body))
			},
		},
		{
			module: "github.com/googleapis/gax-go/v2", policy: "invoke",
			send: func(ctx context.Context, c *http.Client, method, body string) error {
				f := closure(ctx, c, method, body)
				return gax.Invoke(ctx, func(context.Context, gax.CallSettings) error { return f() })
			},
		},
		{
			module: "github.com/googleapis/gax-go/v2", policy: "retryer",
			send: func(ctx context.Context, c *http.Client, method, body string) error {
				f := closure(ctx, c, method, body)
				always := func() gax.Retryer {
					return gax.OnErrorFunc(gax.Backoff{}, func(error) bool { return true })
				}
				return gax.Invoke(ctx, func(context.Context, gax.CallSettings) error { return f() }, gax.WithRetry(always))
			},
		},
		{
			module: "github.com/PuerkitoBio/rehttp", policy: "transport",
			send: func(ctx context.Context, c *http.Client, method, body string) error {
				failed := func(a rehttp.Attempt) bool { return a.Error != nil || a.Response.StatusCode >= 400 }
				rt := rehttp.NewTransport(roundTripper(c.Do), failed, rehttp.ConstDelay(0))
				return ask(ctx, rt.RoundTrip, method, body)
			},
		},
		{
			module: "github.com/elastic/elastic-transport-go/v8", policy: "transport",
			send: func(ctx context.Context, c *http.Client, method, body string) error {
				to, err := neturl.Parse(url)
				if err != nil {
					return err
				}
				client, err := elastictransport.New(elastictransport.Config{
					URLs: []*neturl.URL{to}, Transport: roundTripper(c.Do),
				})
				if err != nil {
					return err
				}
				return ask(ctx, client.Perform, method, body)
			},
		},
	}, clients()...)
}

// clients are HTTP clients that send once unless they are told otherwise.
func clients() []specimen {
	var all []specimen
	for _, attempts := range []int{0, three} {
		all = append(all, specimen{
			module: "github.com/gojek/heimdall/v7", policy: "httpclient", attempts: attempts,
			send: func(ctx context.Context, c *http.Client, method, body string) error {
				client := httpclient.NewClient(httpclient.WithHTTPClient(c))
				if attempts != 0 {
					client = httpclient.NewClient(httpclient.WithHTTPClient(c), httpclient.WithRetryCount(attempts-1))
				}
				return ask(ctx, client.Do, method, body)
			},
		}, specimen{
			module: "github.com/gojek/heimdall/v7", policy: "hystrix", attempts: attempts,
			// Its circuits are one map for the whole process.
			outside: func() {
				client := hystrix.NewClient(hystrix.WithHTTPClient(nowhere()), hystrix.WithErrorPercentThreshold(101))
				_ = ask(context.Background(), client.Do, "GET", "")
			},
			send: func(ctx context.Context, c *http.Client, method, body string) error {
				options := []hystrix.Option{hystrix.WithHTTPClient(c), hystrix.WithErrorPercentThreshold(101)}
				if attempts != 0 {
					options = append(options, hystrix.WithRetryCount(attempts-1))
				}
				return ask(ctx, hystrix.NewClient(options...).Do, method, body)
			},
		}, specimen{
			module: "github.com/go-resty/resty/v2", policy: "client", attempts: attempts,
			send: func(ctx context.Context, c *http.Client, method, body string) error {
				client := resty.NewWithClient(c).SetLogger(quiet{})
				if attempts != 0 {
					client.SetRetryCount(attempts - 1)
				}
				req := client.R().SetContext(ctx)
				if body != "" {
					req.SetBody(body)
				}
				res, err := req.Execute(method, url)
				if err == nil && res.IsError() {
					err = fmt.Errorf("status %s", res.Status())
				}
				return err
			},
		}, specimen{
			module: "resty.dev/v3", policy: "client", attempts: attempts,
			send: func(ctx context.Context, c *http.Client, method, body string) error {
				client := resty3.NewWithClient(c).SetLogger(quiet{})
				if attempts != 0 {
					client.SetRetryCount(attempts - 1)
				}
				req := client.R().SetContext(ctx)
				if body != "" {
					req.SetBody(strings.NewReader(body))
				}
				res, err := req.Execute(method, url)
				if err == nil && res.IsStatusFailure() {
					err = fmt.Errorf("status %s", res.Status())
				}
				return err
			},
		})
	}
	return append(all, specimen{
		module: "github.com/go-resty/resty/v2", policy: "backoff",
		send: func(ctx context.Context, c *http.Client, method, body string) error {
			return resty.Backoff(func() (*resty.Response, error) { return nil, ask(ctx, c.Do, method, body) })
		},
	})
}

// marked is a closure for a library that repeats marked errors only.
func marked(c *http.Client, method, body string) func(context.Context) error {
	return func(ctx context.Context) error {
		return sethvargo.RetryableError(ask(ctx, c.Do, method, body))
	}
}

// nowhere is a client that has no network.
func nowhere() *http.Client {
	return &http.Client{Transport: roundTripper(func(*http.Request) (*http.Response, error) {
		return nil, errors.New("there is no network")
	})}
}

// roundTripper is a transport that sends with a client.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// quiet is a logger for libraries that would talk.
type quiet struct{}

func (quiet) Errorf(string, ...any) {}
func (quiet) Warnf(string, ...any)  {}
func (quiet) Infof(string, ...any)  {}
func (quiet) Debugf(string, ...any) {}
