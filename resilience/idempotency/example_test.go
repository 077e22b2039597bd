package idempotency_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/resiliencevet/resiliencevet/resilience"
	"github.com/resiliencevet/resiliencevet/resilience/idempotency"
)

// A payment handler behind keys: the repeat gets the recorded response, another
// amount under the same key is refused.
func Example() {
	charges := 0
	charge := func(context.Context) int { // sends a request to the provider, through a resilience.Transport
		charges++
		return charges
	}
	pay := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key, _ := idempotency.Key(r.Context())
		n := charge(resilience.WithIdempotencyKey(r.Context(), key)) // the client's key is the provider's, too
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, "charge %d", n)
	})
	handler, err := idempotency.New(pay, idempotency.Options{
		Store:       idempotency.NewMemory(), // NewSQL where there are several instances, or restarts
		Work:        30 * time.Second,
		Keep:        48 * time.Hour,
		RetryWindow: 24 * time.Hour,
		Wait:        10 * time.Second,
		Poll:        100 * time.Millisecond,
		MaxBody:     64 << 10,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, amount := range []string{"4200", "4200", "4300"} {
		r := httptest.NewRequest(http.MethodPost, "/pay", strings.NewReader(amount))
		r.Header.Set(resilience.KeyHeader, "order-17-payment")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		fmt.Println(w.Code, w.Header().Get(idempotency.ReplayedHeader), w.Body)
	}
	// Output:
	// 201  charge 1
	// 201 true charge 1
	// 422  {"title":"Unprocessable Entity","status":422,"detail":"The key was used for another request."}
}
