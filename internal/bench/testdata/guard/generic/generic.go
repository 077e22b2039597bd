// Package generic retries with type parameters.
package generic

import (
	"encoding/json"
	"net/http"
	"strings"
)

func retry[T any](n int, f func() (T, error)) (out T, err error) {
	for range n {
		if out, err = f(); err == nil {
			return out, nil
		}
	}
	return out, err
}

// Create creates, maybe twice.
func Create[T any](url, order string) (T, error) {
	return retry(3, func() (T, error) { return post[T](url, order) })
}

func post[T any](url, order string) (out T, err error) {
	resp, err := http.Post(url, "application/json", strings.NewReader(order))
	if err != nil {
		return out, err
	}
	defer resp.Body.Close()
	return out, json.NewDecoder(resp.Body).Decode(&out)
}

// Number creates a number.
func Number(url string) (int, error) { return Create[int](url, "1") }

// First is generic and sends nothing.
func First[T any](list []T) (out T) {
	for _, x := range list {
		return x
	}
	return out
}
