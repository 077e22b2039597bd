// Package gobreaker stands for the library of that name: its types, and no code.
package gobreaker

type Settings struct {
	Name        string
	ReadyToTrip func(Counts) bool
}

type Counts struct{ Requests uint32 }

type State int

type CircuitBreaker[T any] struct{ _ [0]T }

func NewCircuitBreaker[T any](Settings) *CircuitBreaker[T] { panic("a stub") }

func (*CircuitBreaker[T]) Execute(func() (T, error)) (T, error) { panic("a stub") }
func (*CircuitBreaker[T]) State() State                         { panic("a stub") }

type TwoStepCircuitBreaker[T any] struct{ _ [0]T }

func NewTwoStepCircuitBreaker[T any](Settings) *TwoStepCircuitBreaker[T] { panic("a stub") }

func (*TwoStepCircuitBreaker[T]) Allow() (func(error), error) { panic("a stub") }

type SharedDataStore interface{ Close() }

type DistributedCircuitBreaker[T any] struct{ *CircuitBreaker[T] }

func NewDistributedCircuitBreaker[T any](SharedDataStore, Settings) (*DistributedCircuitBreaker[T], error) {
	panic("a stub")
}

func (*DistributedCircuitBreaker[T]) Execute(func() (T, error)) (T, error) { panic("a stub") }
