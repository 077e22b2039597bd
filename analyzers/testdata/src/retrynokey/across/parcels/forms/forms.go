// Package forms builds the requests of a parcel service, and sends none.
package forms

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
)

const keyHeader = "Idempotency-Key"

// Parcel is what is to be brought.
type Parcel struct {
	To    string `json:"to"`
	Grams int    `json:"grams"`
}

// Booking books the way of a parcel.
func Booking(ctx context.Context, base string, p Parcel) (*http.Request, error) {
	body, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/parcels", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	return req, nil
}

// KeyedBooking is a Booking that the service recognises when it comes again.
func KeyedBooking(ctx context.Context, base, key string, p Parcel) (*http.Request, error) {
	req, err := Booking(ctx, base, p)
	if err != nil {
		return nil, err
	}
	req.Header.Set(keyHeader, key)
	return req, nil
}

// Whereabouts asks where a parcel is.
func Whereabouts(ctx context.Context, base, number string) (*http.Request, error) {
	return http.NewRequestWithContext(ctx, http.MethodGet, base+"/parcels/"+number, nil)
}
