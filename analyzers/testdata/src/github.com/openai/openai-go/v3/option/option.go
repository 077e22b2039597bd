// Package option stands for the library's of that name.
package option

import (
	"net/http"
	"time"

	"github.com/openai/openai-go/v3/internal/requestconfig"
)

type RequestOption = requestconfig.RequestOption

type HTTPClient interface {
	Do(*http.Request) (*http.Response, error)
}

func WithHTTPClient(client HTTPClient) RequestOption { panic("a stub") }
func WithMaxRetries(retries int) RequestOption       { panic("a stub") }
func WithAPIKey(key string) RequestOption            { panic("a stub") }

func WithRequestTimeout(dur time.Duration) RequestOption { panic("a stub") }
