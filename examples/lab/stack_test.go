package main

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/rehttp"
	"github.com/cristalhq/hedgedhttp"
	"github.com/failsafe-go/failsafe-go/failsafehttp"
	"github.com/hashicorp/go-retryablehttp"
	"resty.dev/v3"

	"github.com/resiliencevet/resiliencevet/resilience"
)

// The retrying transports of other libraries are known to package resilience by
// name, without importing them. Here they are the real ones.
func TestNoStackingOnOtherLibraries(t *testing.T) {
	base := &http.Transport{}
	hedged, err := hedgedhttp.NewRoundTripper(time.Second, 2, base)
	if err != nil {
		t.Fatal(err)
	}
	for _, rt := range []http.RoundTripper{
		retryablehttp.NewClient().StandardClient().Transport,
		rehttp.NewTransport(base, rehttp.RetryMaxRetries(2), rehttp.ConstDelay(time.Second)),
		failsafehttp.NewRoundTripper(base, failsafehttp.NewRetryPolicyBuilder().Build()),
		hedged,
		resty.NewHedging(),
	} {
		for _, under := range []http.RoundTripper{rt, shown{rt}} {
			_, err := resilience.NewTransport(under, resilience.Defaults())
			if !errors.Is(err, resilience.ErrStacked) || !strings.Contains(err.Error(), fmt.Sprintf("resilience.Transport (3 attempts, 10s each, 35s in total) over %T", rt)) {
				t.Errorf("%T: %v; want an error that names both", rt, err)
			}
		}
	}
	if _, err := resilience.NewTransport(shown{base}, resilience.Defaults()); err != nil {
		t.Errorf("a plain transport: %v", err)
	}
}

// shown is a layer that shows what it sends through.
type shown struct{ http.RoundTripper }

func (s shown) Unwrap() http.RoundTripper { return s.RoundTripper }
