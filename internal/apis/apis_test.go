package apis

import (
	"strings"
	"testing"
)

// Names are those that go/types prints, and arguments count the receiver: a row
// with a slip would never be found, and nothing else would tell.
func TestExchanges(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range exchanges {
		if seen[e.Func] {
			t.Errorf("%s stands there twice", e.Func)
		}
		seen[e.Func] = true
		if got, ok := ExchangeOf(e.Func); !ok || got != e {
			t.Errorf("%s is not found", e.Func)
		}
		method := strings.HasPrefix(e.Func, "(")
		if method != strings.Contains(e.Func, ").") || !strings.Contains(e.Func, "/") {
			t.Errorf("%s is no full name of a function or method", e.Func)
		}
		if method && e.Request == 0 {
			t.Errorf("%s: argument 0 is the receiver", e.Func)
		}
		for _, f := range []string{e.Method, e.URL, e.Header, e.Body} {
			if f == "" {
				t.Errorf("%s: a field has no name", e.Func)
			}
		}
	}
	if _, ok := ExchangeOf("(*net/http.Client).Do"); ok {
		t.Error("net/http is no library of the tables")
	}
}
