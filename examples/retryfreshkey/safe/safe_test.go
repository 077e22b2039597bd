package safe_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/resiliencevet/resiliencevet/examples/internal/acquirer"
	"github.com/resiliencevet/resiliencevet/examples/internal/figures"
	"github.com/resiliencevet/resiliencevet/examples/internal/memhttp"
	"github.com/resiliencevet/resiliencevet/examples/retryfreshkey/safe"
)

func TestFigures(t *testing.T) {
	table := figures.Open(t)
	table.Try("One deposit, the acquirer takes 12 s for the first charge, an attempt waits for 10 s", func(t *testing.T, s *figures.Situation) {
		bank, err := oneKeyOneCharge(t, 1)
		s.Row("requests", bank.Requests())
		s.Row("charges", bank.Charges())
		s.Row("the desk hears of", err)
	})
	table.Try("One deposit, the acquirer takes 12 s for every charge", func(t *testing.T, s *figures.Situation) {
		bank, err := oneKeyOneCharge(t, 0)
		s.Row("charges", bank.Charges())
		s.Row("the desk hears of", err)
	})
}

// oneKeyOneCharge takes one deposit. The acquirer takes twelve seconds and an
// attempt waits for ten: the second attempt carries the key of the first, and
// gets the answer to it, however many charges would be late.
func oneKeyOneCharge(t *testing.T, late int) (*acquirer.Acquirer, error) {
	t.Helper()
	bank := &acquirer.Acquirer{Took: 12 * time.Second, Late: late}
	hc, stop := memhttp.Serve(bank)
	defer stop()

	id, err := safe.New(hc, "http://acquirer.test").Take(t.Context(), safe.Deposit{Boat: "Alk", Card: "tok_1", Cents: 15000})

	if err != nil || id != "ch_1" {
		t.Errorf("Take = %q, %v; want ch_1", id, err)
	}
	if got := bank.Requests(); got != 2 {
		t.Errorf("%d requests, want 2", got)
	}
	if k, c := bank.Keys(), bank.Charges(); k != 1 || c != 1 {
		t.Errorf("%d keys and %d charges for one deposit, want 1 and 1", k, c)
	}
	return bank, err
}

// Two deposits are two charges, under two keys.
func TestTwoDeposits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bank := &acquirer.Acquirer{Took: time.Second}
		hc, stop := memhttp.Serve(bank)
		defer stop()

		d := safe.New(hc, "http://acquirer.test")
		for _, boat := range []string{"Alk", "Lomvi"} {
			if _, err := d.Take(t.Context(), safe.Deposit{Boat: boat, Card: "tok_1", Cents: 15000}); err != nil {
				t.Errorf("%s: %v", boat, err)
			}
		}
		if k, c := bank.Keys(), bank.Charges(); k != 2 || c != 2 {
			t.Errorf("%d keys and %d charges, want 2 and 2", k, c)
		}
	})
}
