// Package methods knows RFC 9110 §9.2.2.
package methods

import "strings"

var repeatable = map[string]bool{"GET": true, "HEAD": true, "OPTIONS": true, "PUT": true, "DELETE": true}

// Repeatable says whether a method is idempotent.
func Repeatable(method string) bool { return repeatable[strings.ToUpper(method)] }
