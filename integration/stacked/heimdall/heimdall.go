// Package heimdall loops around a client of heimdall.
package heimdall

import (
	"fmt"
	"time"

	"github.com/gojek/heimdall/v7/httpclient"
)

// Call asks the server at base once.
func Call(base string) error {
	client := httpclient.NewClient(httpclient.WithHTTPTimeout(5*time.Second), httpclient.WithRetryCount(2))
	var err error
	for n := 0; n < 3; n++ {
		resp, failure := client.Get(base+"/fog", nil)
		if failure == nil && resp.StatusCode == 200 {
			return resp.Body.Close()
		}
		err = fmt.Errorf("fog: %w", failure)
	}
	return err
}
