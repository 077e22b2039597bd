package main

import (
	"slices"
	"testing"
	"time"
)

// Counts are exact whatever the jitter is. Times and tokens of what is printed
// are those of the article, within its two seconds and twenty tokens. Other
// jitters may go as far as the policy's waits do: for a wait of two seconds, the
// first two come to 2.7 to 5.7 s, and all three to 5.7 to 11.4 s.
func TestQuestions(t *testing.T) {
	for _, q := range questions() {
		t.Run(q.name, func(t *testing.T) {
			var sum int
			const seeds = 50
			for s := range uint64(seeds) {
				if s == 0 {
					s = modelSeed
				}
				r := q.hold(t, s)
				if r.requests != q.requests || !slices.Equal(r.ends, q.ends) {
					t.Fatalf("seed %d: %d requests, %q; want %d, %q", s, r.requests, r.ends, q.requests, q.ends)
				}
				sum += r.tokens
				if third := q.tokens == 471; third && (r.tokens < 425 || r.tokens > 487) || !third && abs(r.tokens-q.tokens) > 20 || abs(r.received-q.received) > 20 {
					t.Errorf("seed %d: %d tokens generated, %d received; want %d and %d", s, r.tokens, r.received, q.tokens, q.received)
				}
				for i, at := range r.at {
					want, give := q.at[i], q.give
					if s != modelSeed && give > 0 { // all three waits, and what is not a wait
						want += 1200 * time.Millisecond
						give = 3500 * time.Millisecond
					}
					near(t, "the end", at, want, max(give, 2*tick))
				}
				if q.timed {
					near(t, "the headers", r.attempt, q.attempt, tick)
				}
				if q.number == 11 {
					near(t, "the last token", r.by, 6*time.Second, tick)
				}
				if want := 2; q.number == 6 && r.layers != want {
					t.Errorf("%d retry layers, want %d", r.layers, want)
				}
			}
			if mean := sum / seeds; abs(mean-q.tokens) > 20 {
				t.Errorf("%d tokens on average, want %d ± 20", mean, q.tokens)
			}
			if r := q.hold(t, modelSeed); abs(r.tokens-q.tokens) > 20 {
				t.Errorf("%d tokens are printed, want %d ± 20", r.tokens, q.tokens)
			}
		})
	}
}

func abs(n int) int { return max(n, -n) }

// Every row is there, once.
func TestQuestionRows(t *testing.T) {
	all := questions()
	if len(all) != 17 {
		t.Errorf("%d rows, want 17", len(all))
	}
	for i, q := range all {
		if q.number != i+1 || (q.dotnet != "") != (q.number <= 14) {
			t.Errorf("row %d is numbered %d, and has %q beside it", i+1, q.number, q.dotnet)
		}
	}
}
