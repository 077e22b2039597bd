package resilience

import (
	"fmt"
	"iter"
	"net/http"
	"reflect"
	"strings"
)

// unwrapper is a RoundTripper that shows the one it sends through.
type unwrapper interface{ Unwrap() http.RoundTripper }

// under is the next RoundTripper of a chain, or nil at its end.
func under(rt http.RoundTripper) http.RoundTripper {
	if u, ok := rt.(unwrapper); ok {
		return u.Unwrap()
	}
	return nil
}

// longestChain is more layers than make sense; a chain that is longer leads back
// to itself.
const longestChain = 100

// chain has a RoundTripper and what is under it, up to longestChain of them.
func chain(rt http.RoundTripper) iter.Seq[http.RoundTripper] {
	return func(yield func(http.RoundTripper) bool) {
		for n := 0; rt != nil && n < longestChain && yield(rt); n++ {
			rt = under(rt)
		}
	}
}

// Base returns what a chain of RoundTrippers sends through when the Transports
// of this package are taken away: what lies under the innermost of them. Layers
// around it are gone as well, since they cannot be taken apart. Without a
// Transport in the chain it returns rt. A chain is followed through the method
// Unwrap() http.RoundTripper.
func Base(rt http.RoundTripper) http.RoundTripper {
	base := rt
	for l := range chain(rt) {
		if t, ok := l.(*Transport); ok {
			base = t.base
		}
	}
	return base
}

// retries says whether a RoundTripper of another library sends requests again.
// They are known by their package and type name, so that this module does not
// depend on any of them; a major version in the path does not matter.
func retries(rt http.RoundTripper) bool {
	t := reflect.TypeOf(rt)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	path, major, ok := cutLast(t.PkgPath(), "/v")
	if !ok || strings.Trim(major, "0123456789") != "" {
		path = t.PkgPath()
	}
	switch path + "." + t.Name() {
	case "github.com/hashicorp/go-retryablehttp.RoundTripper",
		"github.com/PuerkitoBio/rehttp.Transport",
		"github.com/failsafe-go/failsafe-go/failsafehttp.roundTripper",
		"github.com/cristalhq/hedgedhttp.Client",
		"github.com/cristalhq/hedgedhttp.hedgedTransport",
		"resty.dev.Hedging":
		return true
	}
	return false
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// stacked is an error when a layer of base repeats requests: attempts would
// multiply, and the inner timeouts would be cut off by the outer ones.
func stacked(base http.RoundTripper, outer *Transport) error {
	layers := 0
	for l := range chain(base) {
		layers++
		switch inner, ours := l.(*Transport); {
		case ours:
			return fmt.Errorf("%w: %v over %v; strip the inner one with resilience.Base", ErrStacked, outer.name(), inner.name())
		case retries(l):
			return fmt.Errorf("%w: %v over %T; give the transport beneath that one", ErrStacked, outer.name(), l)
		}
	}
	if layers == longestChain {
		return fmt.Errorf("the Unwrap methods of %T do not come to an end after %d layers", base, layers)
	}
	return nil
}
