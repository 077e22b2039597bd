// Package bedrockbackoff calls a service of AWS in backoff.
package bedrockbackoff

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/cenkalti/backoff/v5"
)

type model struct{ client *bedrockruntime.Client }

func newModel(base string) *model {
	return &model{client: bedrockruntime.NewFromConfig(aws.Config{
		Region:       "eu-central-1",
		BaseEndpoint: aws.String(base),
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "none", SecretAccessKey: "none"}, nil
		}),
	})}
}

func (m *model) converse(ctx context.Context) (*bedrockruntime.ConverseOutput, error) {
	return backoff.Retry(ctx, func() (*bedrockruntime.ConverseOutput, error) {
		return m.client.Converse(ctx, &bedrockruntime.ConverseInput{ModelId: aws.String("small")})
	}, backoff.WithMaxTries(2), backoff.WithBackOff(backoff.NewConstantBackOff(time.Millisecond)))
}

// Call asks the server at base once.
func Call(base string) error {
	_, err := newModel(base).converse(context.Background())
	return err
}
