// Package stripe stands for the library of that name: its types, and no code.
package stripe

import "net/http"

type SupportedBackend string

const APIBackend SupportedBackend = "api"

type BackendConfig struct {
	HTTPClient        *http.Client
	MaxNetworkRetries *int64
	URL               *string
}

type Backend interface {
	Call(method, path, key string) error
}

func GetBackendWithConfig(kind SupportedBackend, config *BackendConfig) Backend { panic("a stub") }

func Int64(v int64) *int64 { return &v }
