package risky_test

import (
	"testing"
	"time"

	"github.com/resiliencevet/resiliencevet/examples/internal/acquirer"
	"github.com/resiliencevet/resiliencevet/examples/internal/figures"
	"github.com/resiliencevet/resiliencevet/examples/internal/memhttp"
	"github.com/resiliencevet/resiliencevet/examples/retryfreshkey/risky"
)

func TestFigures(t *testing.T) {
	table := figures.Open(t)
	table.Try("One deposit, the acquirer takes 12 s for the first charge, an attempt waits for 10 s", twoKeysTwoCharges)
	table.Try("One deposit, the acquirer takes 12 s for every charge", threeKeysThreeCharges)
}

// The acquirer takes twelve seconds for the first charge, and an attempt waits
// for ten. The second attempt is quick, so the desk hears of success and of one
// charge: the other one is on the customer's card all the same.
func twoKeysTwoCharges(t *testing.T, s *figures.Situation) {
	bank := &acquirer.Acquirer{Took: 12 * time.Second, Late: 1}
	hc, stop := memhttp.Serve(bank)
	defer stop()

	id, err := risky.New(hc, "http://acquirer.test").Take(t.Context(), risky.Deposit{Boat: "Alk", Card: "tok_1", Cents: 15000})

	if err != nil || id != "ch_2" {
		t.Errorf("Take = %q, %v; want ch_2, the second charge", id, err)
	}
	if got := bank.Requests(); got != 2 {
		t.Errorf("%d requests, want 2", got)
	}
	if got := bank.Keys(); got != 2 {
		t.Errorf("%d keys, want 2", got)
	}
	if got := bank.Charges(); got != 2 {
		t.Errorf("%d charges for one deposit, want 2: the example no longer shows the harm", got)
	}
	s.Row("requests", bank.Requests())
	s.Row("charges", bank.Charges())
	s.Row("the desk hears of", err)
}

// With an acquirer that stays slow it is as if there were no keys at all.
func threeKeysThreeCharges(t *testing.T, s *figures.Situation) {
	bank := &acquirer.Acquirer{Took: 12 * time.Second}
	hc, stop := memhttp.Serve(bank)
	defer stop()

	id, err := risky.New(hc, "http://acquirer.test").Take(t.Context(), risky.Deposit{Boat: "Alk", Card: "tok_1", Cents: 15000})

	if err == nil || id != "" {
		t.Errorf("Take = %q, %v; want an error", id, err)
	}
	if k, c := bank.Keys(), bank.Charges(); k != 3 || c != 3 {
		t.Errorf("%d keys and %d charges for one deposit, want 3 and 3", k, c)
	}
	s.Row("charges", bank.Charges())
	s.Row("the desk hears of", err)
}
