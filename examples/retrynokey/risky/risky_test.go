package risky_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/resiliencevet/resiliencevet/examples/internal/acquirer"
	"github.com/resiliencevet/resiliencevet/examples/internal/figures"
	"github.com/resiliencevet/resiliencevet/examples/internal/memhttp"
	"github.com/resiliencevet/resiliencevet/examples/retrynokey/risky"
)

func TestFigures(t *testing.T) {
	table := figures.Open(t)
	table.Try("One fare, the acquirer takes 12 s, an attempt waits for 10 s", threeChargesAndAnError)
	table.Try("One fare, the acquirer takes 1 s", quickAnswer)
}

// The acquirer needs twelve seconds and an attempt waits for ten: the money is
// taken three times, and the passenger is told that it did not work.
func threeChargesAndAnError(t *testing.T, s *figures.Situation) {
	bank := &acquirer.Acquirer{Took: 12 * time.Second}
	hc, stop := memhttp.Serve(bank)
	defer stop()

	id, err := risky.New(hc, "http://acquirer.test").Charge(t.Context(), risky.Fare{Booking: "F-17", Card: "tok_1", Cents: 4200})

	if !errors.Is(err, context.DeadlineExceeded) || id != "" {
		t.Errorf("Charge = %q, %v; want a timeout", id, err)
	}
	if got := bank.Requests(); got != 3 {
		t.Errorf("%d requests, want 3", got)
	}
	if got := bank.Charges(); got != 3 {
		t.Errorf("%d charges for one fare, want 3: the example no longer shows the harm", got)
	}
	s.Row("requests", bank.Requests())
	s.Row("charges", bank.Charges())
	s.Row("the passenger hears of", err)
}

// With an acquirer that is quick nothing is wrong, which is why it goes unseen.
func quickAnswer(t *testing.T, s *figures.Situation) {
	bank := &acquirer.Acquirer{Took: time.Second}
	hc, stop := memhttp.Serve(bank)
	defer stop()

	id, err := risky.New(hc, "http://acquirer.test").Charge(t.Context(), risky.Fare{Booking: "F-18", Card: "tok_1", Cents: 4200})

	if err != nil || id != "ch_1" {
		t.Errorf("Charge = %q, %v; want ch_1", id, err)
	}
	if r, c := bank.Requests(), bank.Charges(); r != 1 || c != 1 {
		t.Errorf("%d requests and %d charges, want 1 and 1", r, c)
	}
	s.Row("charges", bank.Charges())
}
