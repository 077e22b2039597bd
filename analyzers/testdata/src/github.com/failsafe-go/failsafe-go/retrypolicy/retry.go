// Package retrypolicy stands for the library's of that name.
package retrypolicy

import (
	"time"

	"github.com/failsafe-go/failsafe-go"
)

type RetryPolicy[R any] interface{ failsafe.Policy[R] }

type Builder[R any] interface {
	WithMaxAttempts(int) Builder[R]
	WithMaxDuration(time.Duration) Builder[R]
	WithDelay(time.Duration) Builder[R]
	AbortOnErrors(...error) Builder[R]
	Build() RetryPolicy[R]
}

func NewWithDefaults[R any]() RetryPolicy[R] { panic("a stub") }
func NewBuilder[R any]() Builder[R]          { panic("a stub") }
