// Package wrapped sends every call through a generic function that runs it.
package wrapped

import (
	"sync"

	"github.com/sony/gobreaker/v2"
)

func once[A any](f func() A) A               { return f() }
func twice[A, B any](f func() (A, B)) (A, B) { return f() }

type client struct {
	mu    sync.Mutex
	calls int
	cb    *gobreaker.CircuitBreaker[int]
	load  func(string) (int, error)
}

func newClient(load func(string) (int, error)) *client {
	c := &client{load: load}
	c.cb = once(func() *gobreaker.CircuitBreaker[int] {
		return gobreaker.NewCircuitBreaker[int](gobreaker.Settings{Name: "backend"})
	})
	return c
}

func (c *client) Load(name string) (int, error) {
	c.mu.Lock()
	c.calls++
	c.mu.Unlock()
	return twice(func() (int, error) {
		return c.cb.Execute(func() (int, error) {
			return twice(func() (int, error) { return c.load(name) })
		})
	})
}

func Once(name string, load func(string) (int, error)) (int, error) {
	c := once(func() *client { return newClient(load) }) // want `made anew for every call`
	return twice(func() (int, error) { return c.Load(name) })
}

// New makes a client for others.
func New(load func(string) (int, error)) *client {
	return once(func() *client { return newClient(load) })
}
