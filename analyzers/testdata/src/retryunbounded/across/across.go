// Package across gives another package's helpers numbers.
package across

import (
	"context"
	"errors"

	"github.com/avast/retry-go/v4"
	"retryunbounded/helpers"
)

func send() error { return errors.New("no") }

func risky() error {
	return helpers.Do(0, send) // want `Attempts with 0 does not turn the retry off`
}

func byConfig() error {
	c := helpers.Config{}
	return retry.Do(send, c.Option()) // want `Attempts with 0 does not turn the retry off`
}

// What follows is safe, or not known.

func one() error { return helpers.Do(1, send) }

func underContext(ctx context.Context) error { return helpers.DoContext(ctx, 0, send) }

func given(f func() error) error { return helpers.Do(0, f) }
