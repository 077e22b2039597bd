package resilience

import (
	"context"
	"sync"
	"time"
)

// Degraded is a value that may be an old one. Who gets it can tell, and say so
// to others, rather than take a fallback for an answer.
type Degraded[T any] struct {
	Value T
	Age   time.Duration // since the value was fetched; 0 when it is fresh
	Cause error         // why there is no fresh one; nil when there is
}

// Fresh says whether the value is no fallback.
func (d Degraded[T]) Fresh() bool { return d.Cause == nil }

// LastGood keeps the last value that a fetch returned, to fall back on. It is
// safe for concurrent use; fetches are not joined.
type LastGood[T any] struct {
	// MaxAge is how old a fallback may be. Older ones, and none, are an error.
	MaxAge time.Duration

	mu    sync.Mutex
	value T
	at    time.Time
}

// Get returns what fetch does; when that fails, the last good value with its
// age and the error of fetch. It returns that error when there is no value that
// is young enough, or when it is ctx that has ended: a caller who has left wants no fallback.
func (l *LastGood[T]) Get(ctx context.Context, fetch func(context.Context) (T, error)) (Degraded[T], error) {
	began := time.Now()
	v, err := fetch(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil {
		if !began.Before(l.at) { // a slow fetch does not replace what a later one brought
			l.value, l.at = v, began
		}
		return Degraded[T]{Value: v}, nil
	}
	if age := time.Since(l.at); !l.at.IsZero() && age <= l.MaxAge && ctx.Err() == nil {
		return Degraded[T]{Value: l.value, Age: age, Cause: err}, nil
	}
	return Degraded[T]{Cause: err}, err
}
