package helpers

import (
	"context"
	"errors"
	"time"
)

// again calls fn until it works, n times at most.
func again(n int, fn func() error) error {
	var err error
	for i := 0; i < n; i++ {
		if err = fn(); err == nil {
			return nil
		}
		time.Sleep(time.Duration(i+1) * 200 * time.Millisecond)
	}
	return err
}

// threeTimes is one more floor above again.
func threeTimes(fn func() error) error {
	return again(3, fn)
}

// wrapped puts a closure of its own between.
func wrapped(ctx context.Context, fn func(context.Context) error) error {
	return threeTimes(func() error {
		actx, cancel := context.WithTimeout(ctx, 3*time.Second)
		defer cancel()
		return fn(actx)
	})
}

// Retry is the generic form, with a context.
func Retry[T any](ctx context.Context, attempts int, fn func() (T, error)) (T, error) {
	for n := 1; ; n++ {
		v, err := fn()
		if err == nil || n >= attempts {
			return v, err
		}
		select {
		case <-ctx.Done():
			return v, errors.Join(err, ctx.Err())
		case <-time.After(time.Duration(n) * time.Second):
		}
	}
}

// numbered tells the attempt to the function.
func numbered(fn func(attempt int) error) (err error) {
	for n := range 4 {
		if err = fn(n); err == nil {
			return
		}
	}
	return
}

// recursing calls itself instead of looping.
func recursing(left int, fn func() error) error {
	err := fn()
	if err == nil || left == 0 {
		return err
	}
	return recursing(left-1, fn)
}

// firstThenLoop calls once, then in a loop.
func firstThenLoop(fn func() error) error {
	err := fn()
	for i := 0; i < 2 && err != nil; i++ {
		time.Sleep(time.Second)
		err = fn()
	}
	return err
}

// decorated returns a function that retries.
func decorated(fn func() error) func() error {
	return func() error {
		var err error
		for range 3 {
			if err = fn(); err == nil {
				return nil
			}
		}
		return err
	}
}

// againIf asks a predicate before the next round.
func againIf(fn func() error, pred func(error) bool) error {
	for n := 0; ; n++ {
		err := fn()
		if err == nil || n == 3 || !pred(err) {
			return err
		}
	}
}

// op is a function type with a method that repeats it.
type op func(ctx context.Context) error

func (o op) persist(ctx context.Context) error {
	for {
		err := o(ctx)
		if err == nil || ctx.Err() != nil {
			return err
		}
	}
}

// Policy repeats what it is given.
type Policy struct {
	Max   int
	Pause time.Duration
}

// Run calls fn up to Max times.
func (p Policy) Run(ctx context.Context, fn func(context.Context) error) error {
	var err error
	for i := range p.Max {
		if err = fn(ctx); err == nil {
			return nil
		}
		if i < p.Max-1 {
			time.Sleep(p.Pause)
		}
	}
	return err
}

// Task keeps the work in a field.
type Task struct {
	Name string
	Work func() error
}

// Finish repeats the work of the task.
func (t *Task) Finish() error {
	for range 5 {
		if err := t.Work(); err == nil {
			return nil
		}
	}
	return errors.New(t.Name + " failed")
}

// halt stops the retry: the error must not be tried again.
type halt struct{ error }

func (h halt) Unwrap() error { return h.error }

// unlessHalted repeats everything but a halt.
func unlessHalted(fn func() error) error {
	var err error
	for range 3 {
		if err = fn(); err == nil {
			return nil
		}
		var h halt
		if errors.As(err, &h) {
			return h.error
		}
	}
	return err
}

// The functions below call their parameter too, but never again for the same operation.

// timed calls once and measures.
func timed(fn func() error) error {
	began := time.Now()
	defer func() { println(time.Since(began).String()) }()
	return fn()
}

// each calls for every bed, and stops at the first error.
func each(beds []string, fn func(bed string) error) error {
	for _, b := range beds {
		if err := fn(b); err != nil {
			return err
		}
	}
	return nil
}

// eachLogged calls for every bed and goes on after an error.
func eachLogged(beds []string, fn func(bed string) error) {
	for _, b := range beds {
		if err := fn(b); err != nil {
			println(b, err.Error())
		}
	}
}

// every calls for ever on a ticker, after success and after failure.
func every(ctx context.Context, d time.Duration, fn func() error) {
	t := time.NewTicker(d)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			if err := fn(); err != nil {
				println(err.Error())
			}
		}
	}
}

// pump calls until the first error.
func pump(fn func() error) error {
	for {
		if err := fn(); err != nil {
			return err
		}
	}
}

// fallback calls the second when the first failed.
func fallback(first, second func() error) error {
	if err := first(); err == nil {
		return nil
	}
	return second()
}
