// Package awsretryable gives a client of AWS a client that retries.
package awsretryable

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/hashicorp/go-retryablehttp"
)

// Call asks the server at base once.
func Call(base string) error {
	rc := retryablehttp.NewClient()
	rc.Logger = nil
	rc.RetryMax = 1
	rc.RetryWaitMin, rc.RetryWaitMax = time.Millisecond, time.Millisecond
	client := bedrockruntime.NewFromConfig(aws.Config{
		Region:       "eu-central-1",
		BaseEndpoint: aws.String(base),
		HTTPClient:   rc.StandardClient(),
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "none", SecretAccessKey: "none"}, nil
		}),
	})
	_, err := client.Converse(context.Background(), &bedrockruntime.ConverseInput{ModelId: aws.String("small")})
	return err
}
