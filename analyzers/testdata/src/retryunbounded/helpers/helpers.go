// Package helpers retries for other packages.
package helpers

import (
	"context"

	"github.com/avast/retry-go/v4"
)

// Do runs f so many times at most.
func Do(attempts uint, f func() error) error { return retry.Do(f, retry.Attempts(attempts)) }

// DoContext is Do under a context.
func DoContext(ctx context.Context, attempts uint, f func() error) error {
	return retry.Do(f, retry.Attempts(attempts), retry.Context(ctx))
}

// Config says how often.
type Config struct{ Attempts uint }

// Option makes the option of a configuration.
func (c Config) Option() retry.Option { return retry.Attempts(c.Attempts) }
