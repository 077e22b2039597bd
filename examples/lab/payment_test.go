package main

import (
	"slices"
	"testing"
	"time"
)

// Counts must be exact whatever the jitter is, and times within what it may
// make of them: two seconds for the policy whose waits are like .NET's.
func TestPayments(t *testing.T) {
	for _, s := range payments() {
		t.Run(s.name, func(t *testing.T) {
			for seed := range uint64(50) {
				f := s.perform(t, seed)
				if f.attempts != s.attempts || len(f.charges) != s.charges || !slices.Equal(f.sees, s.sees) {
					t.Errorf("seed %d: %d attempts, %d charges, %q; want %d, %d, %q", seed, f.attempts, len(f.charges), f.sees, s.attempts, s.charges, s.sees)
					continue
				}
				near(t, "the last press ends", f.at[len(f.at)-1], s.at, s.give)
				switch s.number {
				case 1:
					near(t, "the third charge, after the error", f.charges[2]-f.at[0], 6*time.Second, 2*time.Second)
				case 3:
					near(t, "the charge", f.charges[0], 12*time.Second, 0)
				case 5:
					near(t, "the second attempt", f.arrived[1], 12100*time.Millisecond, 2*time.Second)
				}
			}
		})
	}
}

func near(t *testing.T, what string, got, want, give time.Duration) {
	t.Helper()
	if got < want-give || got > want+give {
		t.Errorf("%s at %v, want %v ± %v", what, got, want, give)
	}
}

// Every row of the article and of the issue is there, once.
func TestRows(t *testing.T) {
	for i, s := range payments() {
		if s.number != i+1 || (s.dotnet != "") != (s.number <= 7) {
			t.Errorf("row %d is numbered %d, and has %q beside it", i+1, s.number, s.dotnet)
		}
	}
}
