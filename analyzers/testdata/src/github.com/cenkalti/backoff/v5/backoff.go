// Package backoff stands for the library of that name: its types, and no code.
package backoff

import (
	"context"
	"time"
)

type Operation[T any] func() (T, error)

type options struct{ _ int }

type RetryOption func(*options)

func Retry[T any](context.Context, Operation[T], ...RetryOption) (T, error) { panic("a stub") }
func WithMaxTries(uint) RetryOption                                         { panic("a stub") }
func WithMaxElapsedTime(time.Duration) RetryOption                          { panic("a stub") }
