// Package retrypolicy stands for the library's of that name.
package retrypolicy

import "github.com/failsafe-go/failsafe-go"

type RetryPolicy[R any] interface{ failsafe.Policy[R] }

func NewWithDefaults[R any]() RetryPolicy[R] { panic("a stub") }
