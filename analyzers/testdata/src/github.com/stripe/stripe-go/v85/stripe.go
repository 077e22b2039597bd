// Package stripe stands for the library of that name: its types, and no code.
package stripe

import (
	"context"
	"net/http"
)

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

type Client struct{ V1Charges *v1ChargeService }

type v1ChargeService struct{ B Backend }

type ChargeParams struct{ Amount int64 }

type Charge struct{ ID string }

func NewClient(key string) *Client { panic("a stub") }

func (c v1ChargeService) Create(ctx context.Context, params *ChargeParams) (*Charge, error) {
	panic("a stub")
}
