package idempotency

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Options are what a [Handler] needs to know.
type Options struct {
	Store Store

	// Work is how long the work of a key may take: the deadline of the handler's
	// context. When nothing is recorded after twice that, its process is taken for dead.
	Work time.Duration
	// Keep is how long charged and failed keys are kept after the work. A repeat
	// that comes later is a new operation.
	Keep time.Duration
	// RetryWindow is how late a repeat can come, be it a client's retry, a queue's
	// or a person's. Keep must be longer.
	RetryWindow time.Duration

	// Wait is how long a repeat waits for work that is under way, before it gets
	// 409. 0 is 409 at once. To a resilience.Transport 409 is an answer like any
	// other: its retry succeeds only if Wait covers what is left of the work.
	Wait time.Duration
	// Poll is how often a repeat that waits looks.
	Poll time.Duration

	// MaxBody is how many bytes a request may have. Larger ones get 413.
	MaxBody int64

	// Scope tells callers apart (a tenant, an account), so that nobody gets the
	// response to another's key. nil: all share one scope.
	Scope func(*http.Request) string
	// Outcome says what a handler's status tells of its effect. nil: [ByStatus].
	// A handler that knows better calls [SetOutcome].
	Outcome func(status int) State
	// Reconcile asks who knows what became of a key whose outcome is unknown. It
	// returns Charged with the response for repeats, Failed, or Unknown when that
	// is all that can be said yet. It may be called several times at once. nil:
	// keys stay unknown until somebody calls Settle of the [Store].
	Reconcile func(ctx context.Context, rec Record) (State, *Response, error)
	// OnError is told of errors that no caller can be told of: an outcome that
	// could not be recorded, or that contradicts what is recorded. nil: nobody is.
	OnError func(ctx context.Context, key string, err error)
}

// Validate returns nil, or an error that names every field that cannot be, with its number.
func (o Options) Validate() error {
	var errs []error
	refuse := func(bad bool, format string, args ...any) {
		if bad {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	refuse(o.Store == nil, "Store is nil")
	refuse(o.Work < time.Millisecond, "Work is %v, want at least 1ms", o.Work)
	refuse(o.RetryWindow <= 0, "RetryWindow is %v, want more than 0", o.RetryWindow)
	refuse(o.Keep <= o.RetryWindow, "Keep %v is not longer than RetryWindow %v: a late repeat would be a new operation", o.Keep, o.RetryWindow)
	refuse(o.Wait < 0, "Wait is %v, want at least 0", o.Wait)
	refuse(o.Wait > 0 && o.Poll <= 0, "Poll is %v with Wait %v, want more than 0", o.Poll, o.Wait)
	refuse(o.MaxBody <= 0, "MaxBody is %d, want more than 0", o.MaxBody)
	return errors.Join(errs...)
}

// ByStatus is what a status usually tells: 2xx and 3xx are Charged, 4xx are
// Failed (the request was not accepted), and the rest are Unknown: a 500 may come after the
// charge as well as before it.
func ByStatus(status int) State {
	switch status / 100 {
	case 2, 3:
		return Charged
	case 4:
		return Failed
	}
	return Unknown
}
