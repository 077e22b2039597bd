// Package options tells libraries how often to try.
package options

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/avast/retry-go/v4"
	aws "github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/cenkalti/backoff/v5"
)

// Retries is how often.
const Retries = 0

var configured uint = Retries

func send() error {
	resp, err := http.Get("http://harbour.test/berths")
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

func count() (int, error) { return 1, send() }

type client struct {
	sender interface{ Send() error }
	often  uint
}

func risky() error {
	return retry.Do(send, retry.Attempts(0), retry.Delay(time.Second)) // want `Attempts with 0 does not turn the retry off: in retry-go it takes`
}

func (c *client) literal() error {
	return retry.Do(func() error { return c.sender.Send() }, retry.Attempts(0)) // want `does not turn the retry off`
}

func byConstant[T any](also func() T) (T, error) {
	return retry.DoWithData(func() (T, error) { return also(), send() }, retry.Attempts(Retries)) // want `give 1 for a single attempt`
}

func byVariable() error {
	attempts := 0
	return retry.Do(send, retry.Attempts(uint(attempts))) // want `does not turn the retry off`
}

func byPackageVariable() error {
	return retry.Do(send, retry.Attempts(configured)) // want `does not turn the retry off`
}

func byOptions() error {
	opts := []retry.Option{retry.Attempts(0), retry.Delay(time.Second)} // want `does not turn the retry off`
	return retry.Do(send, opts...)
}

func never() retry.Option { return retry.Attempts(0) }

func byOption() error {
	return retry.Do(send, never()) // want `does not turn the retry off`
}

type aliased = retry.Option

func byAlias() error {
	var o aliased = retry.Attempts(0) // want `does not turn the retry off`
	return retry.Do(send, o)
}

func helper(attempts uint) error {
	return retry.Do(send, retry.Attempts(attempts))
}

func byHelper() error {
	return helper(0) // want `does not turn the retry off`
}

// Its callers say what is tried.
func Given(f func() error) error {
	return retry.Do(f, retry.Attempts(0))
}

func byGiven() error {
	return Given(func() error { return send() }) // want `does not turn the retry off`
}

func both() (int, error) {
	return backoff.Retry(context.Background(), count, backoff.WithMaxTries(0), backoff.WithMaxElapsedTime(0)) // want `WithMaxTries with 0 does not turn the retry off: in backoff it takes`
}

func wrapped(r aws.Retryer) aws.Retryer {
	return aws.AddWithMaxAttempts(r, 0) // want `AddWithMaxAttempts with 0 does not turn`
}

// What follows is safe, or not known.

func one() error { return retry.Do(send, retry.Attempts(1)) }

func some(attempts uint) error {
	if attempts == 0 {
		attempts = 1
	}
	return retry.Do(send, retry.Attempts(attempts))
}

func bySome() error { return some(0) }

func (c *client) byField() error { return retry.Do(send, retry.Attempts(c.often)) }

func underContext(ctx context.Context) error {
	return retry.Do(send, retry.Attempts(0), retry.Context(ctx))
}

func byName() error { return retry.Do(send, retry.UntilSucceeded()) }

func waitForHarbour() error { return retry.Do(send, retry.Attempts(0)) }

func said() error {
	return retry.Do(send, retry.Attempts(0)) // without a limit: the process is of no use before
}

// Unlimited is without a limit.
const Unlimited = 0

func named() error { return retry.Do(send, retry.Attempts(Unlimited)) }

var errGone = errors.New("gone")

func onlySome() error {
	return retry.Do(send, retry.Attempts(0), retry.RetryIf(func(err error) bool { return !errors.Is(err, errGone) }))
}

func forOne() error {
	return retry.Do(send, retry.Attempts(0), retry.AttemptsForError(3, errGone))
}

func spread(more ...retry.Option) error {
	return retry.Do(send, append(more, retry.Attempts(0))...)
}

func listed(ctx context.Context) error {
	opts := []retry.Option{retry.Attempts(0)}
	opts = append(opts, retry.Context(ctx))
	return retry.Do(send, opts...)
}

func unknownBeside(more retry.Option) error {
	return retry.Do(send, retry.Attempts(0), more)
}

func changed(often bool) error {
	attempts := uint(0)
	if often {
		attempts = 5
	}
	return retry.Do(send, retry.Attempts(attempts))
}

// Fifteen minutes, by default.
func elapsedByDefault() (int, error) {
	return backoff.Retry(context.Background(), count, backoff.WithMaxTries(0))
}

func elapsed() (int, error) {
	return backoff.Retry(context.Background(), count, backoff.WithMaxTries(0), backoff.WithMaxElapsedTime(time.Minute))
}

func callers(ctx context.Context) (int, error) {
	return backoff.Retry(ctx, count, backoff.WithMaxTries(0), backoff.WithMaxElapsedTime(0))
}

func negative(r aws.Retryer) aws.Retryer { return aws.AddWithMaxAttempts(r, -1) }
