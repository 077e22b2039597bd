// Package hedgepolicy stands for the library's of that name.
package hedgepolicy

import (
	"time"

	"github.com/failsafe-go/failsafe-go"
)

type HedgePolicy[R any] interface{ failsafe.Policy[R] }

type Builder[R any] interface {
	WithMaxHedges(n int) Builder[R]
	Build() HedgePolicy[R]
}

func NewWithDelay[R any](delay time.Duration) HedgePolicy[R] { panic("a stub") }

func NewBuilderWithDelay[R any](delay time.Duration) Builder[R] { panic("a stub") }
