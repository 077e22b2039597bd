// Package retry is a helper of another package, and does not know of HTTP.
package retry

// Do calls again.
func Do(n int, f func() error) (err error) {
	for range n {
		if err = f(); err == nil {
			return nil
		}
	}
	return err
}
