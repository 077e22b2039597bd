// Package claims sets lamps again and again; some of the operations are
// declared idempotent by their author.
package claims

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
)

var errDark = errors.New("lamp did not answer")

// Hub switches lamps.
type Hub struct {
	hc   *http.Client
	base string
}

func free(resp *http.Response) {
	if resp != nil {
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
}

func thrice(fn func() error) (err error) {
	for range 3 {
		if err = fn(); err == nil {
			return nil
		}
	}
	return err
}

// Level sets an absolute level.
//
//resiliencevet:idempotent the level is absolute, setting it twice changes nothing
func (h *Hub) Level(lamp string, percent int) error {
	for range 3 {
		resp, err := h.hc.Post(fmt.Sprintf("%s/%s/level/%d", h.base, lamp, percent), "", nil)
		if err == nil {
			free(resp)
			return nil
		}
	}
	return errDark
}

//resiliencevet:idempotent a function without other words above it
func Off(base, lamp string) error {
	for range 3 {
		resp, err := http.Post(base+"/"+lamp+"/off", "", nil)
		if err == nil {
			free(resp)
			return nil
		}
	}
	return errDark
}

// LineAbove: the claim stands above the call.
func (h *Hub) LineAbove(lamp string) error {
	for range 3 {
		//resiliencevet:idempotent on is on
		resp, err := h.hc.Post(h.base+"/"+lamp+"/on", "", nil)
		if err == nil {
			free(resp)
			return nil
		}
	}
	return errDark
}

// EndOfLine: the claim stands behind the call.
func (h *Hub) EndOfLine(lamp string) error {
	for range 3 {
		resp, err := h.hc.Post(h.base+"/"+lamp+"/on", "", nil) //resiliencevet:idempotent on is on
		if err == nil {
			free(resp)
			return nil
		}
	}
	return errDark
}

// ManyLines: above a call that goes over several lines.
func (h *Hub) ManyLines(lamp string, scene []byte) error {
	for range 3 {
		//resiliencevet:idempotent a scene replaces the one before
		resp, err := h.hc.Post(
			h.base+"/"+lamp+"/scene",
			"application/json",
			bytes.NewReader(scene),
		)
		if err == nil {
			free(resp)
			return nil
		}
	}
	return errDark
}

// InClosure: above the call in a closure that a helper repeats.
func (h *Hub) InClosure(lamp string) error {
	return thrice(func() error {
		//resiliencevet:idempotent on is on
		resp, err := h.hc.Post(h.base+"/"+lamp+"/on", "", nil)
		free(resp)
		return err
	})
}

// color sends once; that it may be repeated is said here.
//
//resiliencevet:idempotent a color is absolute
func (h *Hub) color(ctx context.Context, lamp, rgb string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.base+"/"+lamp+"/color/"+rgb, nil)
	if err != nil {
		return err
	}
	resp, err := h.hc.Do(req)
	free(resp)
	return err
}

// OnHelper: the claim of the helper holds for the loop that repeats it.
func (h *Hub) OnHelper(ctx context.Context, lamp string) (err error) {
	for range 3 {
		if err = h.color(ctx, lamp, "ff8800"); err == nil {
			return nil
		}
	}
	return err
}

// toggle sends once, and says nothing.
func (h *Hub) toggle(lamp string) error {
	resp, err := h.hc.Post(h.base+"/"+lamp+"/toggle", "", nil)
	free(resp)
	return err
}

// AtHelperCall: the claim stands where the helper is called.
func (h *Hub) AtHelperCall(lamp string) error {
	return thrice(func() error {
		return h.toggle(lamp) //resiliencevet:idempotent the hub of the test house drops doubles
	})
}

// bridge is a transport that its author vouches for.
type bridge struct{ next http.RoundTripper }

//resiliencevet:idempotent the bridge only knows absolute states
func (b bridge) RoundTrip(req *http.Request) (*http.Response, error) {
	for n := 0; ; n++ {
		resp, err := b.next.RoundTrip(req)
		if err == nil || n == 2 {
			return resp, err
		}
	}
}

// NoClaim: the claims of others do not help this one.
func (h *Hub) NoClaim(lamp string) error {
	for range 3 {
		resp, err := h.hc.Post(h.base+"/"+lamp+"/toggle", "", nil) // want "POST"
		if err == nil {
			free(resp)
			return nil
		}
	}
	return errDark
}

// ClaimOfAnother: one call of two is declared.
func (h *Hub) ClaimOfAnother(lamp string) error {
	for range 3 {
		//resiliencevet:idempotent on is on
		resp, err := h.hc.Post(h.base+"/"+lamp+"/on", "", nil)
		if err == nil {
			free(resp)
			break
		}
	}
	for range 3 {
		resp, err := h.hc.Post(h.base+"/"+lamp+"/toggle", "", nil) // want "POST"
		if err == nil {
			free(resp)
			return nil
		}
	}
	return errDark
}

// TooFarAbove: an empty line parts the claim from the call.
func (h *Hub) TooFarAbove(lamp string) error {
	//resiliencevet:idempotent it stands above the loop, not above the call
	wait := 3

	for range wait {
		resp, err := h.hc.Post(h.base+"/"+lamp+"/dim", "", nil) // want "POST"
		if err == nil {
			free(resp)
			return nil
		}
	}
	return errDark
}

// Helper: thrice is not declared, nor is what it is given here.
func (h *Hub) Helper(lamp string) error {
	return thrice(func() error {
		return h.toggle(lamp) // want "POST"
	})
}
