package safe_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/resiliencevet/resiliencevet/examples/internal/acquirer"
	"github.com/resiliencevet/resiliencevet/examples/internal/figures"
	"github.com/resiliencevet/resiliencevet/examples/internal/memhttp"
	"github.com/resiliencevet/resiliencevet/examples/retrynokey/safe"
)

func TestFigures(t *testing.T) {
	table := figures.Open(t)
	table.Try("One fare, the acquirer takes 12 s, an attempt waits for 10 s", oneChargeAndSuccess)
	table.Try("One fare, the acquirer takes 1 s", quickAnswer)
}

// The acquirer needs twelve seconds and an attempt waits for ten: the second
// attempt carries the key of the first, and gets the answer to it.
func oneChargeAndSuccess(t *testing.T, s *figures.Situation) {
	bank := &acquirer.Acquirer{Took: 12 * time.Second}
	hc, stop := memhttp.Serve(bank)
	defer stop()

	id, err := safe.New(hc, "http://acquirer.test").Charge(t.Context(), safe.Fare{Booking: "F-17", Card: "tok_1", Cents: 4200})

	if err != nil || id != "ch_1" {
		t.Errorf("Charge = %q, %v; want ch_1", id, err)
	}
	if got := bank.Requests(); got != 2 {
		t.Errorf("%d requests, want 2", got)
	}
	if got := bank.Charges(); got != 1 {
		t.Errorf("%d charges for one fare, want 1", got)
	}
	s.Row("requests", bank.Requests())
	s.Row("charges", bank.Charges())
	s.Row("the passenger hears of", err)
}

// A quick acquirer is asked once, with the key as without.
func quickAnswer(t *testing.T, s *figures.Situation) {
	bank := &acquirer.Acquirer{Took: time.Second}
	hc, stop := memhttp.Serve(bank)
	defer stop()

	id, err := safe.New(hc, "http://acquirer.test").Charge(t.Context(), safe.Fare{Booking: "F-18", Card: "tok_1", Cents: 4200})

	if err != nil || id != "ch_1" {
		t.Errorf("Charge = %q, %v; want ch_1", id, err)
	}
	if r, c := bank.Requests(), bank.Charges(); r != 1 || c != 1 {
		t.Errorf("%d requests and %d charges, want 1 and 1", r, c)
	}
	s.Row("charges", bank.Charges())
}

// Two fares are two charges: the key belongs to the fare, not to the Cashier.
func TestTwoFares(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bank := &acquirer.Acquirer{Took: time.Second}
		hc, stop := memhttp.Serve(bank)
		defer stop()

		c := safe.New(hc, "http://acquirer.test")
		for _, booking := range []string{"F-17", "F-18"} {
			if _, err := c.Charge(t.Context(), safe.Fare{Booking: booking, Card: "tok_1", Cents: 4200}); err != nil {
				t.Errorf("%s: %v", booking, err)
			}
		}
		if r, n := bank.Requests(), bank.Charges(); r != 2 || n != 2 {
			t.Errorf("%d requests and %d charges, want 2 and 2", r, n)
		}
	})
}
