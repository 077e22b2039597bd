// Package errs holds the errors of the ledger.
package errs

import (
	"errors"
	"fmt"
	"net/http"
)

// ErrThrottled says that the ledger took nothing on.
var ErrThrottled = errors.New("ledger: throttled")

// Throttled says whether err is a refusal.
func Throttled(err error) bool { return errors.Is(err, ErrThrottled) }

// Of turns an answer into an error, and closes it.
func Of(resp *http.Response, err error) error {
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusTooManyRequests:
		return ErrThrottled
	case resp.StatusCode >= 300:
		return fmt.Errorf("ledger: %s", resp.Status)
	}
	return nil
}
