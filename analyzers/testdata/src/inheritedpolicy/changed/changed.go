// Package changed changes the options of a client that is made.
package changed

import (
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

func safe(key string) openai.Client {
	client := openai.NewClient(option.WithAPIKey(key))
	client.Options = append(client.Options, option.WithMaxRetries(0))
	return client
}
