package loops

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// CountedFor: three rounds, left on the first answer.
func (d *Depot) CountedFor(ctx context.Context, body []byte) error {
	var err error
	for i := 0; i < 3; i++ {
		var req *http.Request
		req, err = http.NewRequestWithContext(ctx, http.MethodPost, d.base+"/parcels", bytes.NewReader(body))
		if err != nil {
			return err
		}
		var resp *http.Response
		resp, err = d.hc.Do(req) // want "POST"
		if err == nil {
			discard(resp)
			return nil
		}
		time.Sleep(time.Second)
	}
	return err
}

// CountingDown: the counter runs to zero.
func (d *Depot) CountingDown(body []byte) error {
	for left := 3; left > 0; left-- {
		resp, err := d.hc.Post(d.base+"/parcels", mime, bytes.NewReader(body)) // want "POST"
		if err == nil {
			discard(resp)
			return nil
		}
	}
	return errGaveUp
}

// RangeInt: range over an integer.
func (d *Depot) RangeInt(ctx context.Context, body []byte) (err error) {
	for n := range 5 {
		var resp *http.Response
		resp, err = d.hc.Post(d.base+"/parcels", mime, bytes.NewReader(body)) // want "POST"
		if err == nil {
			discard(resp)
			break
		}
		if werr := doze(ctx, n); werr != nil {
			return werr
		}
	}
	return err
}

// RangeField: how often is a field, so the number is not known, the retry is.
func (d *Depot) RangeField(body []byte) error {
	for range d.tries {
		resp, err := d.hc.Post(d.base+"/parcels", mime, bytes.NewReader(body)) // want "POST"
		if err == nil {
			discard(resp)
			return nil
		}
	}
	return errGaveUp
}

// CapInCondition: endless loop, the cap stands in an if.
func (d *Depot) CapInCondition(ctx context.Context, body []byte) error {
	n := 0
	for {
		resp, err := d.hc.Post(d.base+"/parcels", mime, bytes.NewReader(body)) // want "POST"
		if err == nil && resp.StatusCode < 500 {
			discard(resp)
			return outcome(resp, nil)
		}
		discard(resp)
		n++
		if n >= 4 {
			return errGaveUp
		}
		if doze(ctx, n) != nil {
			return ctx.Err()
		}
	}
}

// CapInMethod: the cap is asked of a policy method.
func (d *Depot) CapInMethod(ctx context.Context, body []byte) error {
	for n := 1; ; n++ {
		resp, err := d.hc.Post(d.base+"/parcels", mime, bytes.NewReader(body)) // want "POST"
		if err == nil {
			discard(resp)
			return nil
		}
		if !d.left(n) {
			return err
		}
		if werr := doze(ctx, n); werr != nil {
			return werr
		}
	}
}

// Elapsed: endless loop with a check of the time spent.
func (d *Depot) Elapsed(body []byte) error {
	began := time.Now()
	for {
		resp, err := d.hc.Post(d.base+"/parcels", mime, bytes.NewReader(body)) // want "POST"
		if err == nil {
			discard(resp)
			return nil
		}
		if time.Since(began) > d.budget {
			return err
		}
		time.Sleep(300 * time.Millisecond)
	}
}

// UntilDeadline: the time stands in the condition.
func (d *Depot) UntilDeadline(body []byte) error {
	end := time.Now().Add(d.budget)
	for time.Now().Before(end) {
		resp, err := d.hc.Post(d.base+"/parcels", mime, bytes.NewReader(body)) // want "POST"
		if err == nil {
			discard(resp)
			return nil
		}
		time.Sleep(300 * time.Millisecond)
	}
	return errGaveUp
}

// CtxBounded: only the caller ends it.
func (d *Depot) CtxBounded(ctx context.Context, body []byte) error {
	for ctx.Err() == nil {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, d.base+"/parcels", bytes.NewReader(body))
		if err != nil {
			return err
		}
		resp, err := d.hc.Do(req) // want "POST"
		if err == nil {
			discard(resp)
			return nil
		}
		_ = doze(ctx, 3)
	}
	return ctx.Err()
}

// PausedBySelect: the pause is a select over the context and a timer.
func (d *Depot) PausedBySelect(ctx context.Context, body []byte) error {
	for {
		resp, err := d.hc.Post(d.base+"/parcels", mime, bytes.NewReader(body)) // want "POST"
		if err == nil {
			discard(resp)
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(2 * time.Second):
		}
	}
}

// TickerPaced: a ticker gives the pace, but success leaves the loop.
func (d *Depot) TickerPaced(ctx context.Context, body []byte) error {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
			resp, err := d.hc.Post(d.base+"/parcels", mime, bytes.NewReader(body)) // want "POST"
			if err == nil {
				discard(resp)
				return nil
			}
		}
	}
}

// Unbounded: nothing ends it but success.
func (d *Depot) Unbounded(body []byte) {
	for {
		resp, err := d.hc.Post(d.base+"/parcels", mime, bytes.NewReader(body)) // want "POST"
		if err == nil {
			discard(resp)
			return
		}
		time.Sleep(time.Second)
	}
}

// AttemptEqualsMax: no condition in the for clause, the last round returns.
func (d *Depot) AttemptEqualsMax(ctx context.Context, body []byte) (*http.Response, error) {
	const last = 2
	for attempt := 0; ; attempt++ {
		resp, err := d.hc.Post(d.base+"/parcels", mime, bytes.NewReader(body)) // want "POST"
		if attempt == last || !worthAnother(resp, err) {
			return resp, err
		}
		discard(resp)
		if doze(ctx, attempt) != nil {
			return nil, ctx.Err()
		}
	}
}

// LabelledContinue: the way round is a label.
func (d *Depot) LabelledContinue(body []byte) error {
	last := errGaveUp
book:
	for i := 0; i < 4; i++ {
		resp, err := d.hc.Post(d.base+"/parcels", mime, bytes.NewReader(body)) // want "POST"
		if err != nil {
			last = err
			continue book
		}
		discard(resp)
		if resp.StatusCode < 500 {
			return nil
		}
	}
	return last
}

// Goto: no for at all.
func (d *Depot) Goto(body []byte) error {
	n := 0
again:
	resp, err := d.hc.Post(d.base+"/parcels", mime, bytes.NewReader(body)) // want "POST"
	if err != nil {
		if n++; n < 3 {
			time.Sleep(time.Second)
			goto again
		}
		return err
	}
	discard(resp)
	return nil
}

// Recursive: the next attempt is a call of the function itself.
func (d *Depot) Recursive(ctx context.Context, body []byte, attempt int) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, d.base+"/parcels", bytes.NewReader(body))
	if err != nil {
		return err
	}
	resp, err := d.hc.Do(req) // want "POST"
	if err == nil && resp.StatusCode < 500 {
		discard(resp)
		return outcome(resp, nil)
	}
	discard(resp)
	if attempt >= 3 {
		return errGaveUp
	}
	if err := doze(ctx, attempt); err != nil {
		return err
	}
	return d.Recursive(ctx, body, attempt+1)
}

// recursiveFunc is the same with a plain function and a counter that falls.
func recursiveFunc(url, text string, left int) (*http.Response, error) {
	resp, err := http.Post(url, "text/plain", strings.NewReader(text)) // want "POST"
	if err != nil && left > 0 {
		time.Sleep(time.Second)
		return recursiveFunc(url, text, left-1)
	}
	return resp, err
}

// StartRecursion begins it.
func StartRecursion(url, text string) error {
	resp, err := recursiveFunc(url, text, 3)
	discard(resp)
	return err
}

// RangeOverFunc: an iterator of attempts.
func (d *Depot) RangeOverFunc(ctx context.Context, body []byte) error {
	err := errGaveUp
	for range rounds(ctx, 3) {
		var resp *http.Response
		resp, err = d.hc.Post(d.base+"/parcels", mime, bytes.NewReader(body)) // want "POST"
		if err == nil {
			discard(resp)
			return nil
		}
	}
	return err
}

// RangeOverFunc2: an iterator with two values, one of which is a timeout.
func (d *Depot) RangeOverFunc2(ctx context.Context, body []byte) error {
	for n, span := range spans(3) {
		actx, cancel := context.WithTimeout(ctx, span)
		req, err := http.NewRequestWithContext(actx, http.MethodPost, d.base+"/parcels", bytes.NewReader(body))
		if err != nil {
			cancel()
			return err
		}
		resp, err := d.hc.Do(req) // want "POST"
		discard(resp)
		cancel()
		if err == nil {
			return nil
		}
		fmt.Println("attempt", n, "failed:", err)
	}
	return errGaveUp
}

// ErrInCondition: goes round while there is an error.
func (d *Depot) ErrInCondition(body []byte) error {
	err := errGaveUp
	for i := 0; err != nil && i < 3; i++ {
		var resp *http.Response
		resp, err = d.hc.Post(d.base+"/parcels", mime, bytes.NewReader(body)) // want "POST"
		discard(resp)
	}
	return err
}

// FlagInCondition: a bool says whether it worked.
func (d *Depot) FlagInCondition(body []byte) bool {
	booked := false
	for n := 0; !booked && n < d.tries; n++ {
		resp, err := d.hc.Post(d.base+"/parcels", mime, bytes.NewReader(body)) // want "POST"
		if err != nil {
			continue
		}
		booked = resp.StatusCode == http.StatusCreated
		discard(resp)
	}
	return booked
}

// FirstOutside: one send before the loop, more inside.
func (d *Depot) FirstOutside(ctx context.Context, body []byte) error {
	resp, err := d.hc.Post(d.base+"/parcels", mime, bytes.NewReader(body))
	for n := 0; err != nil && n < 2; n++ {
		if werr := doze(ctx, n); werr != nil {
			return werr
		}
		resp, err = d.hc.Post(d.base+"/parcels", mime, bytes.NewReader(body)) // want "POST"
	}
	if err != nil {
		return err
	}
	discard(resp)
	return nil
}

// SwitchOnStatus: the way out and the way round are cases.
func (d *Depot) SwitchOnStatus(ctx context.Context, body []byte) error {
	for n := range 4 {
		resp, err := d.hc.Post(d.base+"/parcels", mime, bytes.NewReader(body)) // want "POST"
		if err != nil {
			return err
		}
		discard(resp)
		switch resp.StatusCode {
		case http.StatusOK, http.StatusCreated:
			return nil
		case http.StatusInternalServerError, http.StatusBadGateway:
			if err := doze(ctx, n); err != nil {
				return err
			}
		default:
			return outcome(resp, nil)
		}
	}
	return errGaveUp
}

// SwitchTrue: a switch without tag over both results.
func (d *Depot) SwitchTrue(body []byte) error {
	for range 3 {
		resp, err := d.hc.Post(d.base+"/parcels", mime, bytes.NewReader(body)) // want "POST"
		switch {
		case err != nil:
			time.Sleep(time.Second)
			continue
		case resp.StatusCode/100 == 5:
			discard(resp)
			continue
		}
		discard(resp)
		return outcome(resp, nil)
	}
	return errGaveUp
}

// Predicate: a helper of the package decides, negated.
func (d *Depot) Predicate(ctx context.Context, body []byte) error {
	for n := 0; n < 3; n++ {
		resp, err := d.hc.Post(d.base+"/parcels", mime, bytes.NewReader(body)) // want "POST"
		discard(resp)
		if !worthAnother(resp, err) {
			return outcome(resp, err)
		}
		if err := doze(ctx, n); err != nil {
			return err
		}
	}
	return errGaveUp
}

// ClassOfStatus: transport errors leave, 5xx goes round.
func (d *Depot) ClassOfStatus(body []byte) error {
	for range 3 {
		resp, err := d.hc.Post(d.base+"/parcels", mime, bytes.NewReader(body)) // want "POST"
		if err != nil {
			return err
		}
		discard(resp)
		if resp.StatusCode < 500 {
			return outcome(resp, nil)
		}
	}
	return errGaveUp
}

// GatewayStatus: only 502, 503 and 504, told by a helper; the depot may have
// booked behind the proxy all the same.
func (d *Depot) GatewayStatus(body []byte) error {
	for range 3 {
		resp, err := d.hc.Post(d.base+"/parcels", mime, bytes.NewReader(body)) // want "POST"
		if err != nil {
			return err
		}
		discard(resp)
		if !gateway(resp.StatusCode) {
			return outcome(resp, nil)
		}
	}
	return errGaveUp
}

// ThrottleAndGateway: 429 would be fine, 504 beside it is not.
func (d *Depot) ThrottleAndGateway(body []byte) error {
	for range 3 {
		resp, err := d.hc.Post(d.base+"/parcels", mime, bytes.NewReader(body)) // want "POST"
		if err != nil {
			return err
		}
		discard(resp)
		if resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusGatewayTimeout {
			continue
		}
		return outcome(resp, nil)
	}
	return errGaveUp
}

// OnlyTimeouts: the failure that leaves most open.
func (d *Depot) OnlyTimeouts(body []byte) error {
	for range 3 {
		resp, err := d.hc.Post(d.base+"/parcels", mime, bytes.NewReader(body)) // want "POST"
		if err == nil {
			discard(resp)
			return outcome(resp, nil)
		}
		var slow interface{ Timeout() bool }
		if !errors.As(err, &slow) || !slow.Timeout() {
			return err
		}
	}
	return errGaveUp
}

// OnlyBrokenConnections: the connection died while the answer was awaited.
func (d *Depot) OnlyBrokenConnections(body []byte) error {
	for range 3 {
		resp, err := d.hc.Post(d.base+"/parcels", mime, bytes.NewReader(body)) // want "POST"
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			continue
		}
		discard(resp)
		return outcome(resp, err)
	}
	return errGaveUp
}

// UnreadableAnswer: the depot booked, only the answer could not be read.
func (d *Depot) UnreadableAnswer(body []byte) (string, error) {
	for range 3 {
		resp, err := d.hc.Post(d.base+"/parcels", mime, bytes.NewReader(body)) // want "POST"
		if err != nil {
			return "", err
		}
		var label struct{ Number string }
		err = json.NewDecoder(resp.Body).Decode(&label)
		discard(resp)
		if err == nil {
			return label.Number, nil
		}
	}
	return "", errGaveUp
}

// Rewound: one request, its body opened anew.
func (d *Depot) Rewound(ctx context.Context, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, d.base+"/parcels", bytes.NewReader(body))
	if err != nil {
		return err
	}
	for n := 0; ; n++ {
		if n > 0 {
			if req.Body, err = req.GetBody(); err != nil {
				return err
			}
		}
		resp, err := d.hc.Do(req) // want "POST"
		if !worthAnother(resp, err) || n == 2 {
			discard(resp)
			return outcome(resp, err)
		}
		discard(resp)
	}
}

// Replaced: the body is set again by hand, and the attempt is told to the depot.
func (d *Depot) Replaced(body []byte) error {
	req, err := http.NewRequest(http.MethodPost, d.base+"/parcels", nil)
	if err != nil {
		return err
	}
	for n := range 3 {
		req.Body = io.NopCloser(bytes.NewReader(body))
		req.ContentLength = int64(len(body))
		req.Header.Set("X-Attempt", fmt.Sprint(n))
		resp, err := d.hc.Do(req) // want "POST"
		if err == nil {
			discard(resp)
			return nil
		}
	}
	return errGaveUp
}

// NamedResults: results are set in the loop and wrapped in a defer.
func (d *Depot) NamedResults(body []byte) (number string, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("booking: %w", err)
		}
	}()
	var resp *http.Response
	for i := 0; i < 3; i++ {
		if resp, err = d.hc.Post(d.base+"/parcels", mime, bytes.NewReader(body)); err == nil { // want "POST"
			defer resp.Body.Close()
			number = resp.Header.Get("Location")
			return
		}
	}
	return
}

// LiteralInLoop: a function literal is called at once, so that defer works.
func (d *Depot) LiteralInLoop(body []byte) error {
	var err error
	for range 3 {
		err = func() error {
			resp, err := d.hc.Post(d.base+"/parcels", mime, bytes.NewReader(body)) // want "POST"
			if err != nil {
				return err
			}
			defer resp.Body.Close()
			return outcome(resp, nil)
		}()
		if err == nil {
			return nil
		}
	}
	return err
}

// ClosureVariable: the send is a local closure that the loop calls.
func (d *Depot) ClosureVariable(ctx context.Context, body []byte) error {
	book := func() error {
		resp, err := d.hc.Post(d.base+"/parcels", mime, bytes.NewReader(body)) // want "POST"
		if err != nil {
			return err
		}
		discard(resp)
		return outcome(resp, nil)
	}
	var err error
	for n := range 3 {
		if err = book(); err == nil {
			return nil
		}
		if werr := doze(ctx, n); werr != nil {
			return werr
		}
	}
	return err
}

// ClosureTwice: the closure is called before the loop and in it.
func (d *Depot) ClosureTwice(body []byte) error {
	book := func() (*http.Response, error) {
		return d.hc.Post(d.base+"/parcels", mime, bytes.NewReader(body)) // want "POST"
	}
	resp, err := book()
	for tries := 0; tries < 2 && worthAnother(resp, err); tries++ {
		discard(resp)
		resp, err = book()
	}
	discard(resp)
	return outcome(resp, err)
}

// ClosureRecursive: a local closure that calls itself.
func (d *Depot) ClosureRecursive(body []byte) error {
	var book func(left int) error
	book = func(left int) error {
		resp, err := d.hc.Post(d.base+"/parcels", mime, bytes.NewReader(body)) // want "POST"
		if err != nil && left > 0 {
			return book(left - 1)
		}
		discard(resp)
		return outcome(resp, err)
	}
	return book(3)
}

// once books a single time; it repeats nothing.
func (d *Depot) once(ctx context.Context, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, d.base+"/parcels", bytes.NewReader(body))
	if err != nil {
		return err
	}
	resp, err := d.hc.Do(req)
	discard(resp)
	return outcome(resp, err)
}

// twoDown calls once, with its own timeout.
func (d *Depot) twoDown(ctx context.Context, body []byte) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	return d.once(ctx, body)
}

// HelperInLoop: the send is in another function of the package.
func (d *Depot) HelperInLoop(ctx context.Context, body []byte) error {
	var err error
	for n := 0; n < 3; n++ {
		if err = d.once(ctx, body); err == nil { // want "POST"
			return nil
		}
		_ = doze(ctx, n)
	}
	return err
}

// HelperTwoDown: and two functions below.
func (d *Depot) HelperTwoDown(ctx context.Context, body []byte) (err error) {
	for n := 0; n < 3; n++ {
		err = d.twoDown(ctx, body) // want "POST"
		if err == nil || ctx.Err() != nil {
			return err
		}
	}
	return err
}

// DelayTable: ranges over pauses; no element reaches the request.
func (d *Depot) DelayTable(body []byte) error {
	for _, pause := range []time.Duration{0, time.Second, 4 * time.Second} {
		time.Sleep(pause)
		resp, err := d.hc.Post(d.base+"/parcels", mime, bytes.NewReader(body)) // want "POST"
		if err == nil {
			discard(resp)
			return nil
		}
	}
	return errGaveUp
}

// GrowingDelay: the pause itself is the loop variable.
func (d *Depot) GrowingDelay(body []byte) error {
	for pause := 100 * time.Millisecond; pause < 4*time.Second; pause *= 2 {
		resp, err := d.hc.Post(d.base+"/parcels", mime, bytes.NewReader(body)) // want "POST"
		if err == nil {
			discard(resp)
			return nil
		}
		time.Sleep(pause)
	}
	return errGaveUp
}

// RetryInsideItems: the outer loop takes the next parcel, the inner one repeats it.
func (d *Depot) RetryInsideItems(parcels [][]byte) error {
	for _, p := range parcels {
		var err error
		for range 3 {
			var resp *http.Response
			resp, err = d.hc.Post(d.base+"/parcels", mime, bytes.NewReader(p)) // want "POST"
			if err == nil {
				discard(resp)
				break
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// SuccessBreaks: leaves by break, and the checks stand below the loop.
func (d *Depot) SuccessBreaks(body []byte) error {
	var resp *http.Response
	var err error
	for i := 0; i < 3; i++ {
		resp, err = d.hc.Post(d.base+"/parcels", mime, bytes.NewReader(body)) // want "POST"
		if err == nil && resp.StatusCode < 500 {
			break
		}
		discard(resp)
	}
	return outcome(resp, err)
}

// UntilSent: a flag loop repeats one parcel for ever before the next is taken.
func (d *Depot) UntilSent(parcels [][]byte) {
	for i := 0; i < len(parcels); i++ {
		sent := false
		for !sent {
			resp, err := d.hc.Post(d.base+"/parcels", mime, bytes.NewReader(parcels[i])) // want "POST"
			if err == nil {
				discard(resp)
				sent = true
			}
		}
	}
}
