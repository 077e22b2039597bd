// Package requestconfig stands for the library's of that name.
package requestconfig

type RequestConfig struct{ MaxRetries int }

type RequestOption interface{ Apply(*RequestConfig) error }
