// Package options tells libraries how often to try.
package options

import (
	"context"
	"errors"
	"time"

	"github.com/avast/retry-go/v4"
	aws "github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/cenkalti/backoff/v5"
)

const retries = 0

var configured uint = 0

func risky(f func() error) error {
	return retry.Do(f, retry.Attempts(0), retry.Delay(time.Second)) // want `Attempts with 0 does not turn the retry off: in retry-go it takes`
}

func byConstant[T any](f func() (T, error)) (T, error) {
	return retry.DoWithData(f, retry.Attempts(retries)) // want `give 1 for a single attempt`
}

func byVariable(f func() error) error {
	attempts := 0
	return retry.Do(f, retry.Attempts(uint(attempts))) // want `does not turn the retry off`
}

func byPackageVariable(f func() error) error {
	return retry.Do(f, retry.Attempts(configured)) // want `does not turn the retry off`
}

func helper(f func() error, attempts uint) error {
	return retry.Do(f, retry.Attempts(attempts))
}

func byHelper(f func() error) error {
	return helper(f, 0) // want `does not turn the retry off`
}

func both(f func() (int, error)) (int, error) {
	return backoff.Retry(context.Background(), f, backoff.WithMaxTries(0), backoff.WithMaxElapsedTime(0)) // want `WithMaxTries with 0 does not turn the retry off: in backoff it takes`
}

func wrapped(r aws.Retryer) aws.Retryer {
	return aws.AddWithMaxAttempts(r, 0) // want `AddWithMaxAttempts with 0 does not turn`
}

// What follows is safe, or not known.

func one(f func() error) error { return retry.Do(f, retry.Attempts(1)) }

func some(f func() error, attempts uint) error {
	if attempts == 0 {
		attempts = 1
	}
	return retry.Do(f, retry.Attempts(attempts))
}

func bySome(f func() error) error { return some(f, 0) }

func underContext(ctx context.Context, f func() error) error {
	return retry.Do(f, retry.Attempts(0), retry.Context(ctx))
}

func byName(f func() error) error { return retry.Do(f, retry.UntilSucceeded()) }

func waitForHarbour(f func() error) error { return retry.Do(f, retry.Attempts(0)) }

func said(f func() error) error {
	return retry.Do(f, retry.Attempts(0)) // without a limit: the process is of no use before
}

const unlimited = 0

func named(f func() error) error { return retry.Do(f, retry.Attempts(unlimited)) }

var errGone = errors.New("gone")

func onlySome(f func() error) error {
	return retry.Do(f, retry.Attempts(0), retry.RetryIf(func(err error) bool { return !errors.Is(err, errGone) }))
}

func forOne(f func() error) error {
	return retry.Do(f, retry.Attempts(0), retry.AttemptsForError(3, errGone))
}

func final(f func() error, n int) error {
	return retry.Do(func() error {
		if n--; n < 0 {
			return retry.Unrecoverable(errGone)
		}
		return f()
	}, retry.Attempts(0))
}

func spread(f func() error, more ...retry.Option) error {
	return retry.Do(f, append(more, retry.Attempts(0))...)
}

func listed(f func() error, ctx context.Context) error {
	opts := []retry.Option{retry.Attempts(0)}
	opts = append(opts, retry.Context(ctx))
	return retry.Do(f, opts...)
}

func unknownBeside(f func() error, more retry.Option) error {
	return retry.Do(f, retry.Attempts(0), more)
}

func changed(f func() error, often bool) error {
	attempts := uint(0)
	if often {
		attempts = 5
	}
	return retry.Do(f, retry.Attempts(attempts))
}

// Fifteen minutes, by default.
func elapsedByDefault(f func() (int, error)) (int, error) {
	return backoff.Retry(context.Background(), f, backoff.WithMaxTries(0))
}

func elapsed(f func() (int, error)) (int, error) {
	return backoff.Retry(context.Background(), f, backoff.WithMaxTries(0), backoff.WithMaxElapsedTime(time.Minute))
}

func callers(ctx context.Context, f func() (int, error)) (int, error) {
	return backoff.Retry(ctx, f, backoff.WithMaxTries(0), backoff.WithMaxElapsedTime(0))
}

func negative(r aws.Retryer) aws.Retryer { return aws.AddWithMaxAttempts(r, -1) }
