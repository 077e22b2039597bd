// Package finals says of some failures that they are final.
package finals

import (
	"errors"

	"github.com/avast/retry-go/v4"
)

var errGone = errors.New("gone")

func direct(f func() error, n int) error {
	return retry.Do(func() error {
		if n--; n < 0 {
			return retry.Unrecoverable(errGone)
		}
		return f()
	}, retry.Attempts(0))
}

func mark(err error) error { return retry.Unrecoverable(err) }

func load(name string) error {
	if name == "" {
		return mark(errGone)
	}
	return errGone
}

func byCall(name string) error {
	return retry.Do(func() error { return load(name) }, retry.Attempts(0))
}

func notHere(name string) error {
	return retry.Do(func() error {
		if name == "" {
			return nil
		}
		return errGone
	}, retry.Attempts(0)) // want `does not turn the retry off`
}
