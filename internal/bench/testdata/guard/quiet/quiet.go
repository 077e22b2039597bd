// Package quiet has loops and function values, and cannot send anything.
package quiet

import "strings"

// Retry calls again.
func Retry(n int, f func() error) (err error) {
	for range n {
		if err = f(); err == nil {
			return nil
		}
	}
	return err
}

// Join joins.
func Join(parts []string) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p)
	}
	return b.String()
}
