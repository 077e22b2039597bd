package main

import (
	"testing"
	"time"
)

// The scripts are exact on a fake clock.
func TestScripts(t *testing.T) {
	for _, s := range scripts() {
		if got, want := s.play(t), (played{s.end, s.after, s.content, s.pings}); got != want {
			t.Errorf("%s: %v, want %v", s.name, got, want)
		}
	}
}

// The article's shape comes back, whatever the streams are: not only those that are printed.
func TestSimulation(t *testing.T) {
	for _, seed := range []uint64{simulationSeed, 1, 2, 3, 7} {
		results := simulated(t, seed)
		for _, r := range results {
			want := streams
			if r.retry {
				want += r.retries
			}
			if n := r.complete + r.killed + r.detected + r.undetected; n != want {
				t.Errorf("seed %d, %s: %d attempts, want %d", seed, r.title(), n, want)
			}
		}
		total60, total120, pinged, silent, three := results[0], results[1], results[2], results[3], results[4]
		retried60, rescued := results[5], results[9]
		for what, holds := range map[string]bool{
			"60 s kill healthy long answers":                          total60.killed >= 20,
			"120 s save most of them":                                 total120.killed <= total60.killed/5,
			"and wait nearly a minute longer for a stall":             total120.wait() > total60.wait()+40*time.Second,
			"with pings, no read timeout kills":                       pinged.killed == 0,
			"and stalls that ping are never noticed":                  pinged.undetected >= 2,
			"without pings, thinking answers are killed":              silent.killed >= 5,
			"and every stall is noticed":                              silent.undetected == 0,
			"three budgets kill none and notice all":                  three.killed == 0 && three.undetected == 0 && three.complete+three.detected == streams,
			"15 s after the last text, or 60 s after the beginning":   three.wait() >= 15*time.Second && three.wait() <= 60*time.Second,
			"a retry under 60 s kills nearly as many once more":       retried60.killed*10 >= total60.killed*17 && retried60.retries > 30,
			"and under three budgets it rescues nearly all":           rescued.complete >= streams-2 && rescued.killed == 0 && rescued.retries == three.detected,
			"a retry under 60 s completes less than three budgets do": retried60.complete < three.complete,
		} {
			if !holds {
				t.Errorf("seed %d: it does not hold that %s", seed, what)
			}
		}
	}
}

// What is printed is near to what the article has.
func TestSimulationPrinted(t *testing.T) {
	r := simulated(t, simulationSeed)
	for _, c := range []struct {
		got, want, give int
	}{
		{r[0].killed, 36, 5}, {r[1].killed, 4, 3}, {r[2].undetected, 5, 2}, {r[3].killed, 14, 3}, {r[5].retries, 47, 5}, {r[5].killed, 68, 8}, {r[9].complete, 199, 1},
	} {
		if abs(c.got-c.want) > c.give {
			t.Errorf("%d, want %d ± %d", c.got, c.want, c.give)
		}
	}
}
