package resilience_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/resiliencevet/resiliencevet/resilience"
)

func TestLastGood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := errors.New("down")
		rates := &resilience.LastGood[int]{MaxAge: time.Minute}
		bring := func(v int, err error) func(context.Context) (int, error) {
			return func(context.Context) (int, error) { return v, err }
		}
		if _, err := rates.Get(t.Context(), bring(0, down)); !errors.Is(err, down) {
			t.Errorf("without a value: %v, want the error", err)
		}
		if d, err := rates.Get(t.Context(), bring(7, nil)); d.Value != 7 || !d.Fresh() || d.Age != 0 || err != nil {
			t.Errorf("%+v %v", d, err)
		}
		time.Sleep(time.Minute)
		d, err := rates.Get(t.Context(), bring(0, down))
		if d.Value != 7 || d.Fresh() || d.Age != time.Minute || !errors.Is(d.Cause, down) || err != nil {
			t.Errorf("%+v %v", d, err)
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := rates.Get(gone, bring(0, down)); !errors.Is(err, down) {
			t.Errorf("for a caller who has left: %v, want the error", err)
		}
		time.Sleep(time.Nanosecond)
		if _, err := rates.Get(t.Context(), bring(0, down)); !errors.Is(err, down) {
			t.Errorf("older than MaxAge: %v, want the error", err)
		}
	})
}

// A fetch that began earlier and took longer does not replace a newer value.
func TestSlowFetchIsNotLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &resilience.LastGood[string]{MaxAge: time.Hour}
		slow := make(chan struct{})
		go func() {
			defer close(slow)
			_, _ = l.Get(t.Context(), func(context.Context) (string, error) { time.Sleep(10 * time.Second); return "old", nil })
		}()
		time.Sleep(time.Second)
		_, _ = l.Get(t.Context(), func(context.Context) (string, error) { return "new", nil })
		<-slow
		d, err := l.Get(t.Context(), func(context.Context) (string, error) { return "", errors.New("down") })
		if d.Value != "new" || d.Age != 9*time.Second || err != nil {
			t.Errorf("%+v %v", d, err)
		}
	})
}
