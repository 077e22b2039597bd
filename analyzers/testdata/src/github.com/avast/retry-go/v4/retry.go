// Package retry stands for the library of that name: its types, and no code.
package retry

import (
	"context"
	"time"
)

type Config struct{ _ int }

type Option func(*Config)

func Do(func() error, ...Option) error                          { panic("a stub") }
func DoWithData[T any](func() (T, error), ...Option) (T, error) { panic("a stub") }
func Attempts(uint) Option                                      { panic("a stub") }
func AttemptsForError(uint, error) Option                       { panic("a stub") }
func UntilSucceeded() Option                                    { panic("a stub") }
func Delay(time.Duration) Option                                { panic("a stub") }
func RetryIf(func(error) bool) Option                           { panic("a stub") }
func Context(context.Context) Option                            { panic("a stub") }
func Unrecoverable(error) error                                 { panic("a stub") }
