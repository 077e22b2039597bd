// Package across has another package make its clients.
package across

import (
	"inheritedpolicy/clients"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

func risky(key string) openai.Client {
	return clients.New(option.WithAPIKey(key)) // want `nobody has stated a policy`
}

// What follows is safe, or reported elsewhere.

func stated(key string) openai.Client {
	return clients.New(option.WithAPIKey(key), option.WithMaxRetries(0))
}

func plain(key string) openai.Client { return clients.Plain(key) }
