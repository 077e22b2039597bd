// Package builders makes policies in several steps.
package builders

import (
	"errors"
	"time"

	"github.com/failsafe-go/failsafe-go"
	policy "github.com/failsafe-go/failsafe-go/retrypolicy"
)

func risky(f func() (int, error)) (int, error) {
	p := policy.NewBuilder[int]().WithMaxAttempts(0).WithDelay(time.Second).Build() // want `WithMaxAttempts with 0 does not turn the retry off: in failsafe-go it takes`
	return failsafe.With[int](p).Get(f)
}

func generic[T any]() policy.RetryPolicy[T] {
	return policy.NewBuilder[T]().WithDelay(time.Second).WithMaxAttempts(0).Build() // want `does not turn the retry off`
}

// What follows is safe, or not known.

func onPurpose() policy.RetryPolicy[int] { return policy.NewBuilder[int]().WithMaxAttempts(-1).Build() }

func bounded() policy.RetryPolicy[int] {
	return policy.NewBuilder[int]().WithMaxAttempts(0).WithMaxDuration(time.Minute).Build()
}

func boundedBefore() policy.RetryPolicy[int] {
	return policy.NewBuilder[int]().WithMaxDuration(time.Minute).WithMaxAttempts(0).Build()
}

func aborts() policy.RetryPolicy[int] {
	return policy.NewBuilder[int]().AbortOnErrors(errors.ErrUnsupported).WithMaxAttempts(0).Build()
}

func later(d time.Duration) policy.RetryPolicy[int] {
	b := policy.NewBuilder[int]().WithMaxAttempts(0)
	if d > 0 {
		b = b.WithMaxDuration(d)
	}
	return b.Build()
}
