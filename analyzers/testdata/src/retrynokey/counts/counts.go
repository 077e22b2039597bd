// Package counts is about the number in the message: it holds whatever
// happens, or is not there.
package counts

import (
	"net/http"
	"strings"
)

func post(url string) (int, error) {
	resp, err := http.Post(url, "", strings.NewReader("tick"))
	if err != nil {
		return 0, err
	}
	resp.Body.Close()
	return resp.StatusCode, nil
}

// Three is the plain form.
func Three(url string) {
	for range 3 {
		if _, err := post(url); err == nil { // want `\(up to 3 attempts\)`
			return
		}
	}
}

// Budgets counts two kinds of failure on their own.
func Budgets(url string) {
	nets, servers := 0, 0
	for {
		status, err := post(url) // want `\(up to 6 attempts\)`
		switch {
		case err != nil:
			if nets++; nets > 2 {
				return
			}
		case status >= 500:
			if servers++; servers > 3 {
				return
			}
		default:
			return
		}
	}
}

// Uncounted does not count what the server asks to repeat.
func Uncounted(url string) {
	for n := 0; n < 3; n++ {
		status, err := post(url) // want `reset without`
		if err == nil && status != 429 {
			return
		}
		if status == 429 {
			n--
		}
	}
}

// Hundred is more than is counted.
func Hundred(url string) {
	for range 100 {
		if _, err := post(url); err == nil { // want `reset without`
			return
		}
	}
}

// Setting depends on a setting.
func Setting(url string, max int) {
	for range max {
		if _, err := post(url); err == nil { // want `reset without`
			return
		}
	}
}

// Limit is a variable that others may set.
var Limit = 3

// Shared takes it.
func Shared(url string) {
	for range Limit {
		if _, err := post(url); err == nil { // want `reset without`
			return
		}
	}
}

// Recursive counts down from a parameter.
func Recursive(url string, left int) error {
	_, err := post(url) // want `reset without`
	if err != nil && left > 0 {
		return Recursive(url, left-1)
	}
	return err
}
