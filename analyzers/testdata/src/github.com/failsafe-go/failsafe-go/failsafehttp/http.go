// Package failsafehttp stands for the library's of that name.
package failsafehttp

import (
	"net/http"

	"github.com/failsafe-go/failsafe-go"
)

func NewRoundTripper(inner http.RoundTripper, policies ...failsafe.Policy[*http.Response]) http.RoundTripper {
	panic("a stub")
}
