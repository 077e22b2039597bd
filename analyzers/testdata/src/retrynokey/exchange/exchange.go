// Package exchange books berths through a client that is told how often to try
// again.
package exchange

import "github.com/go-resty/resty/v2"

// Harbour is told.
type Harbour struct{ c *resty.Client }

// NewHarbour tries four times.
func NewHarbour() *Harbour { return &Harbour{resty.New().SetRetryCount(3)} }

// Book makes a booking.
func (h *Harbour) Book(ship string) error {
	_, err := h.c.R().SetBody(map[string]string{"ship": ship}).
		Post("https://harbour.test/berths") // want `POST is sent again after a timeout or a connection reset \(by Execute, .*\) \(up to 4 attempts\)`
	return err
}

// Keyed is silent: a header that is set once goes with every attempt.
func (h *Harbour) Keyed(ship, booking string) error {
	_, err := h.c.R().SetHeader("Idempotency-Key", booking).SetBody(ship).Post("https://harbour.test/berths")
	return err
}

// Berths is silent: it reads.
func (h *Harbour) Berths() error {
	_, err := h.c.R().Get("https://harbour.test/berths")
	return err
}

// Quay is not told, and sends once.
type Quay struct{ c *resty.Client }

// NewQuay takes what the library does by itself.
func NewQuay() *Quay { return &Quay{resty.New()} }

// Book is silent.
func (q *Quay) Book(ship string) error {
	_, err := q.c.R().SetBody(ship).Post("https://harbour.test/berths")
	return err
}

// Lock is told, and given a reason.
type Lock struct{ c *resty.Client }

// NewLock tries again when the server is out of order.
func NewLock() *Lock {
	return &Lock{resty.New().SetRetryCount(2).AddRetryCondition(func(r *resty.Response, err error) bool {
		return r.StatusCode() >= 500
	})}
}

// Open makes a passage.
func (l *Lock) Open(ship string) error {
	_, err := l.c.R().SetBody(ship).Post("https://lock.test/passages") // want `POST is sent again after a timeout, a connection reset or a 5xx response`
	return err
}
