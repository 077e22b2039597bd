// Package verdict says which answers are worth another attempt.
package verdict

import "net/http"

// Transient are the statuses that pass.
func Transient(status int) bool {
	switch status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// Refused says that the server took nothing on.
func Refused(status int) bool { return status == http.StatusTooManyRequests }

// ReadOnly says whether a method may be sent as often as one likes.
func ReadOnly(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions
}
