// Package option stands for the library's of that name.
package option

import "github.com/anthropics/anthropic-sdk-go/v2/internal/requestconfig"

type RequestOption = requestconfig.RequestOption

func WithMaxRetries(retries int) RequestOption { panic("a stub") }
func WithAPIKey(key string) RequestOption      { panic("a stub") }
