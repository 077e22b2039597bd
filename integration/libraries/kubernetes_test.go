package libraries

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/retry"

	"github.com/resiliencevet/resiliencevet/internal/apis"
)

// conflict is what an API server says of an object that has changed.
func conflict() error {
	return errors.NewConflict(schema.GroupResource{Resource: "berths"}, "7", nil)
}

// TestKubernetesRetry counts what the helpers of client-go repeat, and with which
// pauses, for the two values that come with them.
func TestKubernetesRetry(t *testing.T) {
	for name, given := range map[string]wait.Backoff{
		"DefaultRetry": retry.DefaultRetry, "DefaultBackoff": retry.DefaultBackoff,
	} {
		t.Run(name, func(t *testing.T) {
			p := policyOf(t, "k8s.io/client-go", name)
			synctest.Test(t, func(t *testing.T) {
				var at []time.Time
				_ = retry.RetryOnConflict(given, func() error {
					at = append(at, time.Now())
					return conflict()
				})
				if len(at) != p.Attempts {
					t.Fatalf("called %d times, want %d", len(at), p.Attempts)
				}
				want := p.Wait
				for i := 1; i < len(at); i++ {
					if gap := at[i].Sub(at[i-1]); gap < want || gap > want*11/10 {
						t.Errorf("pause %d was %s, want %s and a tenth more at most", i, gap, want)
					}
					want = time.Duration(float64(want) * p.Factor)
				}
			})
		})
	}
}

// TestKubernetesConflict wants conflicts to be tried again, and nothing else.
func TestKubernetesConflict(t *testing.T) {
	if p := policyOf(t, "k8s.io/client-go", "conflict"); p.After != apis.Conflict {
		t.Fatalf("after %b", p.After)
	}
	if p := policyOf(t, "k8s.io/client-go", "error"); p.After != apis.Every {
		t.Fatalf("after %b", p.After)
	}
	calls := 0
	busy := func() error {
		calls++
		return errors.NewServiceUnavailable("the harbour is closed")
	}
	if _ = retry.RetryOnConflict(retry.DefaultRetry, busy); calls != 1 {
		t.Errorf("RetryOnConflict called %d times after a 503", calls)
	}
	calls = 0
	always := func(error) bool { return true }
	want := policyOf(t, "k8s.io/client-go", "DefaultRetry").Attempts
	if _ = retry.OnError(retry.DefaultRetry, always, busy); calls != want {
		t.Errorf("OnError called %d times, want %d", calls, want)
	}
}

// TestKubernetesSteps reads Backoff.Steps as the table does.
func TestKubernetesSteps(t *testing.T) {
	s, _ := symbolOf(t, "k8s.io/apimachinery", "pkg/util/wait.Backoff.Steps")
	for _, steps := range []int{-1, 0, 1, 4} {
		calls := 0
		_ = wait.ExponentialBackoff(wait.Backoff{Steps: steps}, func() (bool, error) { calls++; return false, nil })
		meaning := apis.AsCounted
		switch {
		case steps == 0:
			meaning = s.Count.Zero
		case steps < 0:
			meaning = s.Count.Negative
		}
		if meaning != apis.AsCounted {
			t.Fatalf("%d steps mean %d", steps, meaning)
		}
		if want := max(0, steps+s.Count.Plus); calls != want {
			t.Errorf("%d steps: called %d times, want %d", steps, calls, want)
		}
	}
}

// TestKubernetesWaits asks what each of the waits does after a success that is not
// yet one, after an error, and when its context ends.
func TestKubernetesWaits(t *testing.T) {
	const pause = time.Second
	steps := wait.Backoff{Steps: enough + 1, Duration: pause, Factor: 1}
	for name, w := range map[string]struct {
		policy string
		run    func(context.Context, func(context.Context) (bool, error)) error
	}{
		"ExponentialBackoff": {"deaf backoff", func(ctx context.Context, f func(context.Context) (bool, error)) error {
			return wait.ExponentialBackoff(steps, func() (bool, error) { return f(ctx) })
		}},
		"ExponentialBackoffWithContext": {"backoff", func(ctx context.Context, f func(context.Context) (bool, error)) error {
			return wait.ExponentialBackoffWithContext(ctx, steps, f)
		}},
		"PollUntilContextCancel": {"poll", func(ctx context.Context, f func(context.Context) (bool, error)) error {
			return wait.PollUntilContextCancel(ctx, pause, true, f)
		}},
		"PollUntilContextTimeout": {"poll", func(ctx context.Context, f func(context.Context) (bool, error)) error {
			return wait.PollUntilContextTimeout(ctx, pause, time.Hour, true, f)
		}},
		"PollImmediate": {"deaf poll", func(ctx context.Context, f func(context.Context) (bool, error)) error {
			//lint:ignore SA1019 what is deprecated is still called
			return wait.PollImmediate(pause, time.Hour, func() (bool, error) { return f(ctx) })
		}},
		"PollImmediateInfinite": {"deaf poll", func(ctx context.Context, f func(context.Context) (bool, error)) error {
			//lint:ignore SA1019 what is deprecated is still called
			return wait.PollImmediateInfinite(pause, func() (bool, error) { return f(ctx) })
		}},
	} {
		t.Run(name, func(t *testing.T) {
			p := policyOf(t, "k8s.io/apimachinery", w.policy)
			synctest.Test(t, func(t *testing.T) {
				calls := 0
				_ = w.run(t.Context(), func(context.Context) (bool, error) { calls++; return calls > enough, nil })
				want := wanted(p.Attempts)
				if p.Attempts == 0 {
					want = steps.Steps
				}
				if p.After&apis.Success == 0 || calls != want {
					t.Errorf("called %d times until it was so, want %d", calls, want)
				}
				calls = 0
				_ = w.run(t.Context(), func(context.Context) (bool, error) { calls++; return false, conflict() })
				if p.After&apis.Every != 0 || calls != 1 {
					t.Errorf("called %d times after an error", calls)
				}

				ctx, cancel := context.WithTimeout(t.Context(), pause/2)
				defer cancel()
				start := time.Now()
				calls = 0
				_ = w.run(ctx, func(context.Context) (bool, error) { calls++; return calls > 2, nil })
				heard := time.Since(start) < pause
				if want := p.Context == apis.Hears; heard != want {
					t.Errorf("the context ended after %s, the wait after %s: heard %t, want %t",
						pause/2, time.Since(start), heard, want)
				}
			})
		})
	}
}
