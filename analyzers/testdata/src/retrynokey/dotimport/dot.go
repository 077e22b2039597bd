// Package dotimport has no package name before net/http's functions. It stands
// apart from shapes, whose own DefaultClient and NewRequest would collide.
package dotimport

import (
	"bytes"
	"errors"
	"io"
	. "net/http"
)

var errGuest = errors.New("guest not invited")

func clear(resp *Response) {
	if resp != nil {
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
}

// Dotted: a call without package name.
func Dotted(url string, guest []byte) error {
	for range 3 {
		resp, err := Post(url, "application/json", bytes.NewReader(guest)) // want "POST"
		if err == nil {
			clear(resp)
			return nil
		}
	}
	return errGuest
}

// DottedRequest: nor for the request.
func DottedRequest(url string, guest []byte) error {
	for range 3 {
		req, err := NewRequest(MethodPost, url, bytes.NewReader(guest))
		if err != nil {
			return err
		}
		resp, err := DefaultClient.Do(req) // want "POST"
		if err == nil {
			clear(resp)
			return nil
		}
	}
	return errGuest
}

// DottedRead reads.
func DottedRead(url string) error {
	for range 3 {
		resp, err := Get(url)
		if err == nil {
			clear(resp)
			return nil
		}
	}
	return errGuest
}
