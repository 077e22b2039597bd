// Package options calls a client that an option tells how often it sends.
package options

import (
	"time"

	"github.com/resiliencevet/resiliencevet/integration/stacked/options/kit"
)

type lighthouse struct {
	base string
	kit  *kit.Client
}

func (l *lighthouse) lit() (err error) {
	for tries := 2; tries > 0; tries-- {
		resp, failure := l.kit.Get(l.base + "/lit")
		if failure == nil {
			return resp.Body.Close()
		}
		err = failure
		time.Sleep(time.Millisecond)
	}
	return err
}

// Call asks the server at base once.
func Call(base string) error {
	l := &lighthouse{base: base, kit: kit.New(kit.Attempts(5))}
	return l.lit()
}
