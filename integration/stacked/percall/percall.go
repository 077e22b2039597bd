// Package percall tells openai-go at the call how often to try, which counts more
// than what the client was made with.
package percall

import (
	"context"
	"errors"

	"github.com/openai/openai-go"
	"github.com/openai/openai-go/option"
)

// Call asks the server at base once.
func Call(base string) error {
	client := openai.NewClient(option.WithBaseURL(base), option.WithAPIKey("none"), option.WithMaxRetries(4))
	err := errors.New("not asked yet")
	for n := 0; n < 3 && err != nil; n++ {
		_, err = client.Models.Get(context.Background(), "small", option.WithMaxRetries(1))
	}
	return err
}
