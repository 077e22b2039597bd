// Package clients makes clients, each with a circuit breaker of its own. It sends
// nothing over net/http: what it runs under the breaker it is given.
package clients

import (
	"errors"
	"sync"

	"github.com/sony/gobreaker/v2"
)

// Client is one backend.
type Client struct {
	mu    sync.Mutex
	calls int
	cb    *gobreaker.CircuitBreaker[int]
	load  func(string) (int, error)
}

// New makes a Client.
func New(load func(string) (int, error)) *Client {
	c := &Client{load: load}
	c.setUp()
	return c
}

func (c *Client) setUp() {
	c.cb = gobreaker.NewCircuitBreaker[int](gobreaker.Settings{Name: "backend"})
}

// Load loads one thing under the breaker.
func (c *Client) Load(name string) (int, error) {
	c.mu.Lock()
	c.calls++
	c.mu.Unlock()
	if name == "" {
		return 0, errors.New("no name")
	}
	return c.cb.Execute(func() (int, error) { return c.load(name) })
}

// LoadAll loads many.
func (c *Client) LoadAll(names []string) (sum int, err error) {
	for _, name := range names {
		n, err := c.Load(name)
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, nil
}

// Close ends it.
func (c *Client) Close() {}

// Calls says how often Load was called.
func (c *Client) Calls() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.calls
}

var byName sync.Map

// For returns the client that is kept for a name.
func For(name string, load func(string) (int, error)) *Client {
	if c, ok := byName.Load(name); ok {
		return c.(*Client)
	}
	c, _ := byName.LoadOrStore(name, New(load))
	return c.(*Client)
}

// Option changes a client.
type Option func(*Client)

// WithBreaker gives a client another breaker.
func WithBreaker() Option {
	return func(c *Client) { c.cb = gobreaker.NewCircuitBreaker[int](gobreaker.Settings{Name: "own"}) }
}

// With makes a client with options.
func With(load func(string) (int, error), opts ...Option) *Client {
	c := &Client{load: load}
	for _, o := range opts {
		o(c)
	}
	return c
}

// Once loads one thing under a breaker of its own.
func Once(name string, load func(string) (int, error)) (int, error) {
	c := New(load) // want `this circuit breaker is made anew for every call`
	return c.Load(name)
}
