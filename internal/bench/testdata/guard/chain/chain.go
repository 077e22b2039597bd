// Package chain sends at the end of a long chain of calls, with a loop at its
// head.
package chain

import (
	"errors"
	"net/http"
	"strings"
)

type client struct {
	url  string
	http *http.Client
}

// All tries all.
func (c *client) All(orders []string) error {
	var errs []error
	for _, o := range orders {
		errs = append(errs, c.first(o))
	}
	return errors.Join(errs...)
}

func (c *client) first(o string) error  { return c.second(trim(o)) }
func (c *client) second(o string) error { return c.third(o) }
func (c *client) third(o string) error  { return c.send(o) }

func (c *client) send(o string) error {
	resp, err := c.http.Post(c.url, "text/plain", strings.NewReader(o))
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

func trim(o string) string { return strings.TrimSpace(o) }

// Apart has nothing to do with it.
func Apart(o string) string { return trim(o) + "!" }

var _ = (*client).All
