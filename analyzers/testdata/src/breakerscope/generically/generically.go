// Package generically uses a client of a package whose calls all go through a generic
// function.
package generically

import "breakerscope/wrapped"

func load(string) (int, error) { return 0, nil }

func Risky(name string) (int, error) {
	c := wrapped.New(load) // want `made anew`
	return c.Load(name)
}
