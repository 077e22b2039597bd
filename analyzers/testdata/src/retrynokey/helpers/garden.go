// Package helpers orders water for a greenhouse through retry helpers of the
// package; they live in another file.
package helpers

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

var errThrottled = errors.New("too many orders")

// Garden orders water.
type Garden struct {
	hc     *http.Client
	base   string
	policy Policy
	valve  func() error
}

func status(resp *http.Response, err error) error {
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 400 {
		return fmt.Errorf("greenhouse: %s", resp.Status)
	}
	return nil
}

// pour sends one order; nothing is repeated here.
func (g *Garden) pour() error {
	return status(g.hc.Post(g.base+"/pour", "text/plain", strings.NewReader("1l")))
}

// pourCtx is the same with a context.
func (g *Garden) pourCtx(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, g.base+"/pour", strings.NewReader("1l"))
	if err != nil {
		return err
	}
	return status(g.hc.Do(req))
}

// moisture reads.
func (g *Garden) moisture() error { return status(g.hc.Get(g.base + "/moisture")) }

// Direct: the closure sends.
func (g *Garden) Direct() error {
	return again(3, func() error {
		resp, err := g.hc.Post(g.base+"/pour", "text/plain", strings.NewReader("2l")) // want "POST"
		return status(resp, err)
	})
}

// ThroughMethod: the closure calls a method that posts.
func (g *Garden) ThroughMethod() error {
	return again(3, func() error {
		return g.pour() // want "POST"
	})
}

// MethodValue: the method itself is handed over.
func (g *Garden) MethodValue() error {
	return again(3, g.pour) // want "POST"
}

// PackageFunction: a function of the package is handed over.
func PackageFunction() error {
	return again(3, pourDefault) // want "POST"
}

func pourDefault() error {
	return status(http.Post("http://greenhouse.local/pour", "text/plain", strings.NewReader("1l")))
}

// TwoLevels: the helper hands on to another.
func (g *Garden) TwoLevels() error {
	return threeTimes(func() error {
		return g.pour() // want "POST"
	})
}

// ThreeLevels: with a closure between.
func (g *Garden) ThreeLevels(ctx context.Context) error {
	return wrapped(ctx, func(ctx context.Context) error {
		return g.pourCtx(ctx) // want "POST"
	})
}

// Generic: Retry with an inferred type.
func (g *Garden) Generic(ctx context.Context) (string, error) {
	return Retry(ctx, 3, func() (string, error) {
		resp, err := g.hc.Post(g.base+"/orders", "text/plain", strings.NewReader("9l")) // want "POST"
		if err != nil {
			return "", err
		}
		defer resp.Body.Close()
		return resp.Header.Get("Location"), nil
	})
}

// GenericExplicit: Retry with the type written out.
func (g *Garden) GenericExplicit(ctx context.Context) error {
	_, err := Retry[struct{}](ctx, 4, func() (struct{}, error) {
		return struct{}{}, g.pourCtx(ctx) // want "POST"
	})
	return err
}

// GenericMethodValue: a method value for a generic helper.
func (g *Garden) GenericMethodValue(ctx context.Context) (*http.Response, error) {
	return Retry(ctx, 2, g.order) // want "POST"
}

func (g *Garden) order() (*http.Response, error) {
	return g.hc.Post(g.base+"/orders", "text/plain", strings.NewReader("9l"))
}

// Numbered: the closure gets the number of the attempt.
func (g *Garden) Numbered() error {
	return numbered(func(attempt int) error {
		req, err := http.NewRequest(http.MethodPost, g.base+"/pour", strings.NewReader("3l"))
		if err != nil {
			return err
		}
		req.Header.Set("X-Attempt", fmt.Sprint(attempt))
		return status(g.hc.Do(req)) // want "POST"
	})
}

// Recursing: the helper is recursive.
func (g *Garden) Recursing() error {
	return recursing(3, func() error {
		return g.pour() // want "POST"
	})
}

// FirstThenLoop: the helper calls once before its loop.
func (g *Garden) FirstThenLoop() error {
	return firstThenLoop(func() error {
		return g.pour() // want "POST"
	})
}

// ClosureVariable: the closure is kept in a variable first.
func (g *Garden) ClosureVariable() error {
	attempt := func() error {
		return status(g.hc.Post(g.base+"/pour", "text/plain", strings.NewReader("4l"))) // want "POST"
	}
	return again(2, attempt)
}

// ClosureField: the closure is kept in a field of a struct.
func (g *Garden) ClosureField() error {
	t := &Task{
		Name: "pour",
		Work: func() error {
			return status(g.hc.Post(g.base+"/pour", "text/plain", strings.NewReader("5l"))) // want "POST"
		},
	}
	return t.Finish()
}

// FieldHandedOver: the field is read and handed to a helper.
func (g *Garden) FieldHandedOver() error {
	t := Task{Work: func() error {
		return g.pour() // want "POST"
	}}
	return again(3, t.Work)
}

// Decorated: a helper returns the retrying function.
func (g *Garden) Decorated() error {
	pour := decorated(func() error {
		return g.pour() // want "POST"
	})
	return pour()
}

// NamedType: a function type whose method repeats it.
func (g *Garden) NamedType(ctx context.Context) error {
	return op(func(ctx context.Context) error {
		return g.pourCtx(ctx) // want "POST"
	}).persist(ctx)
}

// PolicyField: a policy in a field, with a method.
func (g *Garden) PolicyField(ctx context.Context) error {
	return g.policy.Run(ctx, func(ctx context.Context) error {
		return g.pourCtx(ctx) // want "POST"
	})
}

// PolicyLiteral: a policy made on the spot, and a method value.
func (g *Garden) PolicyLiteral(ctx context.Context) error {
	return Policy{Max: 3, Pause: time.Second}.Run(ctx, g.pourCtx) // want "POST"
}

// PredicateAlways: the predicate lets everything through.
func (g *Garden) PredicateAlways() error {
	return againIf(g.pour, func(error) bool { return true }) // want "POST"
}

// HaltOnRefusal: only a refusal stops it, a timeout does not.
func (g *Garden) HaltOnRefusal() error {
	return unlessHalted(func() error {
		resp, err := g.hc.Post(g.base+"/pour", "text/plain", strings.NewReader("6l")) // want "POST"
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		if resp.StatusCode >= 400 && resp.StatusCode < 500 {
			return halt{errors.New(resp.Status)}
		}
		return nil
	})
}

// Patch: PATCH through a helper.
func (g *Garden) Patch() error {
	return again(3, func() error {
		req, err := http.NewRequest(http.MethodPatch, g.base+"/plan", strings.NewReader("{}"))
		if err != nil {
			return err
		}
		return status(g.hc.Do(req)) // want "PATCH"
	})
}

// From here on: nothing to report.

// Read: only a read is repeated.
func (g *Garden) Read() error { return again(3, g.moisture) }

// ReadInside: the closure reads, the write comes after the helper.
func (g *Garden) ReadInside() error {
	if err := threeTimes(func() error { return g.moisture() }); err != nil {
		return err
	}
	return g.pour()
}

// OneAttempt: the helper gets the number one.
func (g *Garden) OneAttempt() error { return again(1, g.pour) }

// Timed: the helper calls once.
func (g *Garden) Timed() error { return timed(g.pour) }

// Each: another bed per call.
func (g *Garden) Each(beds []string) error {
	return each(beds, func(bed string) error {
		return status(g.hc.Post(g.base+"/beds/"+bed, "text/plain", nil))
	})
}

// EachLogged: another bed per call, failures are logged.
func (g *Garden) EachLogged(beds []string) {
	eachLogged(beds, func(bed string) error {
		return status(g.hc.Post(g.base+"/beds/"+bed, "text/plain", nil))
	})
}

// Every: a heartbeat, sent after success too.
func (g *Garden) Every(ctx context.Context) {
	every(ctx, time.Minute, func() error {
		return status(g.hc.Post(g.base+"/alive", "text/plain", nil))
	})
}

// Pump: the first error ends it.
func (g *Garden) Pump() error { return pump(g.pour) }

// Fallback: another operation when the first failed.
func (g *Garden) Fallback() error {
	return fallback(g.pour, g.moisture)
}

// PredicateThrottled: only an order that was turned away is sent again.
func (g *Garden) PredicateThrottled() error {
	return againIf(func() error {
		resp, err := g.hc.Post(g.base+"/pour", "text/plain", strings.NewReader("7l"))
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		if resp.StatusCode == http.StatusTooManyRequests {
			return errThrottled
		}
		return nil
	}, func(err error) bool { return errors.Is(err, errThrottled) })
}

// HaltOnAnything: every failure after the send stops, only building is tried again.
func (g *Garden) HaltOnAnything(order func() (string, error)) error {
	return unlessHalted(func() error {
		text, err := order()
		if err != nil {
			return err
		}
		if err := status(g.hc.Post(g.base+"/pour", "text/plain", strings.NewReader(text))); err != nil {
			return halt{err}
		}
		return nil
	})
}

// HaltUnlessThrottled: a transport failure stops, 429 goes round.
func (g *Garden) HaltUnlessThrottled() error {
	return unlessHalted(func() error {
		resp, err := g.hc.Post(g.base+"/pour", "text/plain", strings.NewReader("8l"))
		if err != nil {
			return halt{err}
		}
		defer resp.Body.Close()
		switch {
		case resp.StatusCode == http.StatusTooManyRequests:
			return errThrottled
		case resp.StatusCode >= 400:
			return halt{errors.New(resp.Status)}
		}
		return nil
	})
}

// NotCalled: the closure is kept, and nobody repeats it here.
func (g *Garden) NotCalled() {
	g.valve = func() error {
		return status(g.hc.Post(g.base+"/valve", "text/plain", nil))
	}
}

// Watered goes through a method that is named after waiting, and repeats.
func (g *Garden) Watered() error {
	return g.waitFor(func() error {
		return g.pour() // want "POST"
	})
}

func (g *Garden) waitFor(operation func() error) error {
	if err := twice(operation); err != nil {
		return fmt.Errorf("garden: %w", err)
	}
	return nil
}

func twice(operation func() error) (err error) {
	for range 2 {
		if err = operation(); err == nil {
			return nil
		}
	}
	return err
}
