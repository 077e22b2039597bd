// Package across uses clients whose circuit breakers another package makes.
package across

import (
	"breakerscope/clients"
)

func load(string) (int, error) { return 0, nil }

type harbour struct {
	c     *clients.Client
	names []string
}

func (h *harbour) Risky(name string) (int, error) {
	c := clients.New(load) // want `the circuit breaker that clients.New makes is made anew for every call`
	return c.Load(name)
}

func (h *harbour) EachRisky() (sum int) {
	for _, name := range h.names {
		c := clients.New(load) // want `made anew`
		if n, err := c.Load(name); err == nil {
			sum += n
		}
		sum += c.Calls()
	}
	return sum
}

// ByInterface hides the client behind an interface.
func ByInterface(name string) (int, error) {
	var l interface{ Load(string) (int, error) } = clients.New(load) // want `made anew`
	return l.Load(name)
}

func WithOptions(name string) (int, error) {
	return clients.With(load, clients.WithBreaker()).Load(name) // want `made anew`
}

type alias = clients.Client

func newAlias() *alias { return clients.New(load) }

func ByAlias(name string) (int, error) {
	return newAlias().Load(name) // want `made anew`
}

type pair[T any] struct {
	client *clients.Client
	with   T
}

func newPair[T any](with T) pair[T] { return pair[T]{clients.New(load), with} }

func ByGeneric(name string) (int, error) {
	p := newPair(name) // want `made anew`
	return p.client.Load(p.with)
}

func Closed(name string) (int, error) {
	c := clients.New(load) // want `made anew`
	defer c.Close()
	return c.Load(name)
}

// What follows is safe, or not known.

func newHarbour(names []string) *harbour { return &harbour{c: clients.New(load), names: names} }

func (h *harbour) Kept(name string) (int, error) { return h.c.Load(name) }

func (h *harbour) Lazy(name string) (int, error) {
	if h.c == nil {
		h.c = clients.New(load)
	}
	return h.c.Load(name)
}

func (h *harbour) ForName(name string) (int, error) { return clients.For(name, load).Load(name) }

func (h *harbour) Batch() (int, error) { return clients.New(load).LoadAll(h.names) }

func (h *harbour) InOneCall(name string) (int, error) { return clients.Once(name, load) }

func (h *harbour) Again(name string) (int, error) {
	c := clients.New(load)
	n, err := c.Load(name)
	if err != nil {
		return c.Load(name + "-old")
	}
	return n, nil
}

func Listed(names []string) (sum int) {
	var cs []*clients.Client
	for range names {
		c := clients.New(load)
		_, _ = c.Load("ready")
		cs = append(cs, c)
	}
	for i, c := range cs {
		n, _ := c.Load(names[i])
		sum += n
	}
	return sum
}

func LocalMap(names []string) (sum int) {
	by := map[string]*clients.Client{}
	for _, name := range names {
		c := by[name]
		if c == nil {
			c = clients.New(load)
			by[name] = c
		}
		n, _ := c.Load(name)
		sum += n
	}
	return sum
}

func Selected(out chan<- *clients.Client, stop <-chan struct{}) {
	c := clients.New(load)
	_, _ = c.Load("ready")
	select {
	case out <- c:
	case <-stop:
	}
}

func Pooled(register func(*clients.Client), name string) (int, error) {
	c := clients.New(load)
	register(c)
	return c.Load(name)
}

func Escapes(all map[string]*harbour, name string) (int, error) {
	h := &harbour{}
	all[name] = h
	h.c = clients.New(load)
	return h.c.Load(name)
}

// Run is what main calls in another package.
func Run(name string) (int, error) { return clients.New(load).Load(name) }
