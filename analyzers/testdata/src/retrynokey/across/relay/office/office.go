// Package office knows couriers by an interface; the other package has one
// kind of each.
package office

import (
	"context"
	"net/http"
	"time"

	"retrynokey/across/relay/courier"
)

// Office sends letters.
type Office struct {
	base    string
	courier courier.Courier
	careful courier.Careful
}

// New returns an Office.
func New(base string) *Office {
	hc := &http.Client{Timeout: 5 * time.Second}
	return &Office{base: base, courier: courier.New(hc), careful: courier.NewCareful(hc)}
}

// Dispatch writes: whoever the courier is, it repeats.
func (o *Office) Dispatch(ctx context.Context, letter []byte) error {
	return o.courier.Deliver(ctx, http.MethodPost, o.base+"/letters", letter) // want "POST is sent again after .* \\(up to 3 attempts\\) without an idempotency key"
}

// Local makes its courier where it needs it.
func Local(ctx context.Context, url string, letter []byte) error {
	c := courier.New(http.DefaultClient)
	if err := c.Deliver(ctx, "POST", url, letter); err != nil { // want "without an idempotency key"
		return err
	}
	return nil
}

// Replace is silent: PUT may be repeated.
func (o *Office) Replace(ctx context.Context, id string, letter []byte) error {
	return o.courier.Deliver(ctx, http.MethodPut, o.base+"/letters/"+id, letter)
}

// DispatchCarefully is silent: the gate is two packages away.
func (o *Office) DispatchCarefully(ctx context.Context, letter []byte) error {
	return o.careful.Hand(ctx, http.MethodPost, o.base+"/letters", letter)
}

// Courier is what somebody else brings.
type Courier interface {
	Deliver(ctx context.Context, method, url string, body []byte) error
}

// Branch does not know what its courier does.
type Branch struct{ courier Courier }

// NewBranch takes any courier.
func NewBranch(c Courier) *Branch { return &Branch{courier: c} }

// Dispatch is silent: who delivers is decided by those who use the package.
func (b *Branch) Dispatch(ctx context.Context, url string, letter []byte) error {
	return b.courier.Deliver(ctx, http.MethodPost, url, letter)
}
