package shapes

import (
	"bytes"
	web "net/http"
)

// Renamed: another name for the package.
func Renamed(url string, guest []byte) error {
	for range 3 {
		resp, err := web.Post(url, "application/json", bytes.NewReader(guest)) // want "POST"
		if err == nil {
			clear(resp)
			return nil
		}
	}
	return errGuest
}

// RenamedRequest: for everything in it.
func RenamedRequest(hc *web.Client, url string, guest []byte) error {
	for range 3 {
		req, err := web.NewRequest(web.MethodPatch, url, bytes.NewReader(guest))
		if err != nil {
			return err
		}
		resp, err := hc.Do(req) // want "PATCH"
		if err == nil {
			clear(resp)
			return nil
		}
	}
	return errGuest
}
