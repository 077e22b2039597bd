// Package hedgedhttp stands for the library of that name: its types, and no code.
package hedgedhttp

import (
	"net/http"
	"time"
)

func NewClient(timeout time.Duration, upto int, client *http.Client) (*http.Client, error) {
	panic("a stub")
}

func NewRoundTripper(timeout time.Duration, upto int, rt http.RoundTripper) (http.RoundTripper, error) {
	panic("a stub")
}
