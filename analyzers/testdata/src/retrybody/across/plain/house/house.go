// Package house repeats calls of a package whose API hides net/http, and knows
// none of its types.
package house

import (
	"strings"

	"retrybody/across/plain/lamp"
)

// Lit is silent: there is no body.
func Lit(url string) (err error) {
	for range 3 {
		if err = lamp.Lit(url); err == nil {
			return nil
		}
	}
	return err
}

// Dim is silent: each attempt has a reader of its own.
func Dim(url string) (err error) {
	for range 3 {
		if err = lamp.Dim(url, "low"); err == nil {
			return nil
		}
	}
	return err
}

// DimFrom shares one.
func DimFrom(url string) (err error) {
	level := strings.NewReader("low")
	for range 3 {
		if err = lamp.DimFrom(url, level); err == nil { // want `body`
			return nil
		}
	}
	return err
}
