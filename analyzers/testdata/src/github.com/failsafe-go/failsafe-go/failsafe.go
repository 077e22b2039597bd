// Package failsafe stands for the library of that name: its types, and no code.
package failsafe

import "context"

type Policy[R any] interface{ ToExecutor(R) any }

type Executor[R any] interface {
	WithContext(context.Context) Executor[R]
	Get(func() (R, error)) (R, error)
	Run(func() error) error
}

func With[R any](...Policy[R]) Executor[R] { panic("a stub") }
