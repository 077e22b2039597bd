// Package circuitbreaker stands for the library's of that name.
package circuitbreaker

import "github.com/failsafe-go/failsafe-go"

type CircuitBreaker[R any] interface {
	failsafe.Policy[R]
	TryAcquirePermit() bool
	RecordError(error)
	IsOpen() bool
}

type Builder[R any] interface {
	WithFailureThreshold(uint) Builder[R]
	OnOpen(func()) Builder[R]
	Build() CircuitBreaker[R]
}

func NewWithDefaults[R any]() CircuitBreaker[R] { panic("a stub") }
func NewBuilder[R any]() Builder[R]             { panic("a stub") }
