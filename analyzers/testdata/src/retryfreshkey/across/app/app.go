// Package app pays pensions at the end of the month. It joins a client and a
// retry helper, and names nothing of HTTP.
package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"retryfreshkey/across/client"
	"retryfreshkey/across/ids"
	"retryfreshkey/across/retry"
)

// Payroll pays.
type Payroll struct {
	c      *client.Client
	runner Runner
}

// Runner runs something, in a way that only its maker knows.
type Runner interface {
	Run(ctx context.Context, f func(ctx context.Context) error) error
}

// Month pays a pension; the client makes the key at each attempt.
func (p *Payroll) Month(ctx context.Context, due client.Pension) error {
	return retry.Do(ctx, retry.Options{Attempts: 4, Pause: time.Second}, func(ctx context.Context) error {
		_, err := p.c.Pay(ctx, due) // want `made anew`
		return err
	})
}

// MonthKeyed makes the key before.
func (p *Payroll) MonthKeyed(ctx context.Context, due client.Pension) error {
	key := ids.New("month")
	return retry.Do(ctx, retry.Options{Attempts: 4, Pause: time.Second}, func(ctx context.Context) error {
		_, err := p.c.PayWith(ctx, key, due)
		return err
	})
}

// MonthAnew makes it inside, where the key is handed to the client.
func (p *Payroll) MonthAnew(ctx context.Context, due client.Pension) (string, error) {
	return retry.Value(ctx, retry.Options{Attempts: 4, Pause: time.Second}, func(ctx context.Context) (string, error) {
		return p.c.PayWith(ctx, ids.New("month"), due) // want `made anew`
	})
}

// MonthNumbered takes a counter of another package.
func (p *Payroll) MonthNumbered(ctx context.Context, due client.Pension) (string, error) {
	return retry.Value(ctx, retry.Options{Attempts: 4, Pause: time.Second}, func(ctx context.Context) (string, error) {
		key := fmt.Sprintf("%s-%d", due.Month, ids.Next()) // want `made anew`
		return p.c.PayWith(ctx, key, due)
	})
}

// MonthDerived computes it inside, from the pension.
func (p *Payroll) MonthDerived(ctx context.Context, due client.Pension) (string, error) {
	return retry.Value(ctx, retry.Options{Attempts: 4, Pause: time.Second}, func(ctx context.Context) (string, error) {
		return p.c.PayWith(ctx, ids.Of(due.Person, due.Month), due)
	})
}

// MonthKept asks a Keeper inside.
func (p *Payroll) MonthKept(ctx context.Context, due client.Pension) (string, error) {
	var k ids.Keeper
	return retry.Value(ctx, retry.Options{Attempts: 4, Pause: time.Second}, func(ctx context.Context) (string, error) {
		return p.c.PayWith(ctx, k.ID(), due)
	})
}

// MonthForgotten makes a Keeper inside.
func (p *Payroll) MonthForgotten(ctx context.Context, due client.Pension) (string, error) {
	return retry.Value(ctx, retry.Options{Attempts: 4, Pause: time.Second}, func(ctx context.Context) (string, error) {
		var k ids.Keeper
		return p.c.PayWith(ctx, k.ID(), due) // want `made anew`
	})
}

// Default gives no key, so the client makes one.
func (p *Payroll) Default(ctx context.Context, due client.Pension) (err error) {
	for range 3 {
		if _, err = p.c.PayOptions(ctx, due, client.Options{}); err == nil { // want `made anew`
			return nil
		}
	}
	return err
}

// Chosen gives one.
func (p *Payroll) Chosen(ctx context.Context, due client.Pension) (err error) {
	opts := client.Options{Key: ids.New("opt")}
	for range 3 {
		if _, err = p.c.PayOptions(ctx, due, opts); err == nil {
			return nil
		}
	}
	return err
}

// Loop is a loop of its own over the client's method.
func (p *Payroll) Loop(ctx context.Context, due client.Pension) (err error) {
	for n := range 3 {
		if _, err = p.c.Pay(ctx, due); err == nil { // want `made anew`
			return nil
		}
		time.Sleep(time.Duration(n) * time.Second)
	}
	return err
}

// Everybody pays one pension after the other, each a single time.
func (p *Payroll) Everybody(ctx context.Context, dues []client.Pension) error {
	var errs []error
	for _, due := range dues {
		if _, err := p.c.Pay(ctx, due); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", due.Person, err))
		}
	}
	return errors.Join(errs...)
}

// Timed calls once, through the same package.
func (p *Payroll) Timed(ctx context.Context, due client.Pension) error {
	return retry.Once(ctx, 30*time.Second, func(ctx context.Context) error {
		_, err := p.c.Pay(ctx, due)
		return err
	})
}

// Throttled repeats only what the office turned away.
func (p *Payroll) Throttled(ctx context.Context, due client.Pension) error {
	o := retry.Options{Attempts: 6, Pause: time.Second, If: func(err error) bool { return errors.Is(err, client.ErrThrottled) }}
	return retry.Do(ctx, o, func(ctx context.Context) error {
		_, err := p.c.Pay(ctx, due)
		return err
	})
}

// Final says that no failure may be repeated.
func (p *Payroll) Final(ctx context.Context, due client.Pension) error {
	return retry.Do(ctx, retry.Options{Attempts: 6}, func(ctx context.Context) error {
		if _, err := p.c.Pay(ctx, due); err != nil {
			return retry.Permanent{Err: err}
		}
		return nil
	})
}

// Run leaves it to a Runner, of which nothing is known.
func (p *Payroll) Run(ctx context.Context, due client.Pension) error {
	return p.runner.Run(ctx, func(ctx context.Context) error {
		_, err := p.c.Pay(ctx, due)
		return err
	})
}
