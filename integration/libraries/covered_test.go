package libraries

import (
	"slices"
	"testing"

	"github.com/resiliencevet/resiliencevet/internal/apis"
)

// unproven are the policies and numbers that no test here counts, and why.
var unproven = map[string]string{
	"github.com/anthropics/anthropic-sdk-go/v2 option.WithMaxRetries":              "the code is v1's",
	"github.com/avast/retry-go/v5 UntilSucceeded":                                  "it is Attempts(0)",
	"github.com/aws/aws-sdk-go-v2/config standard":                                 "it is the core's, and its number is counted",
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime standard":                 "it is the core's, and its number is counted",
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime Options.RetryMaxAttempts": "it is that of every service",
	"github.com/aws/aws-sdk-go-v2/service/* standard":                              "it is the core's, and its number is counted",
	"github.com/cenkalti/backoff/v4 given":                                         "the caller gives it",
	"github.com/cristalhq/hedgedhttp Config.Upto":                                  "the constructor that is counted is beneath it",
	"github.com/cristalhq/hedgedhttp NewClient":                                    "the constructor that is counted is beneath it",
	"github.com/cristalhq/hedgedhttp NewClientAndStats":                            "the constructor that is counted is beneath it",
	"github.com/cristalhq/hedgedhttp NewRoundTripperAndStats":                      "the constructor that is counted is beneath it",
	"github.com/failsafe-go/failsafe-go executor":                                  "the policies it is given are counted",
	"github.com/go-resty/resty/v2 Client.RetryCount":                               "its setter is counted",
	"github.com/gojek/heimdall/v7 hystrix.WithRetryCount":                          "its policy is counted with three attempts",
	"github.com/openai/openai-go option.WithMaxRetries":                            "the code is v3's",
	"github.com/openai/openai-go/v2 option.WithMaxRetries":                         "the code is v3's",
	"github.com/sethvargo/go-retry given":                                          "the caller gives it",
	"github.com/stripe/stripe-go/v74 BackendConfig.MaxNetworkRetries":              "the newest major's is counted",
	"github.com/stripe/stripe-go/v81 BackendConfig.MaxNetworkRetries":              "the newest major's is counted",
	"resty.dev/v3 Request.RetryCount":                                              "the client's setter is counted",
	"resty.dev/v3 Request.SetRetryCount":                                           "the client's setter is counted",
	"resty.dev/v3 SSESource.SetRetryCount":                                         "its policy is counted",
}

// elsewhere are those that have a test of their own.
var elsewhere = []string{
	"github.com/launchdarkly/eventsource stream", "github.com/r3labs/sse/v2 subscribe",
	"k8s.io/apimachinery backoff", "k8s.io/apimachinery deaf backoff", "k8s.io/apimachinery deaf poll",
	"k8s.io/apimachinery poll", "k8s.io/apimachinery pkg/util/wait.Backoff.Steps",
	"k8s.io/client-go DefaultBackoff", "k8s.io/client-go DefaultRetry", "k8s.io/client-go conflict", "k8s.io/client-go error",
}

// asOthers are majors of Stripe's that are held to do what another one does, whose
// requests are counted.
var asOthers = map[string]string{
	"github.com/stripe/stripe-go/v75": "v74", "github.com/stripe/stripe-go/v76": "v74",
	"github.com/stripe/stripe-go/v78": "v81", "github.com/stripe/stripe-go/v79": "v81", "github.com/stripe/stripe-go/v80": "v81",
	"github.com/stripe/stripe-go/v82": "v85", "github.com/stripe/stripe-go/v83": "v85", "github.com/stripe/stripe-go/v84": "v85",
}

// TestCovered wants every policy and every number of the tables to be counted by a
// test, or to be on the list of those that are not.
func TestCovered(t *testing.T) {
	counted := slices.Clone(elsewhere)
	for _, s := range slices.Concat(transports(), sdks()) {
		counted = append(counted, s.module+" "+s.policy)
	}
	for _, n := range slices.Concat(functionNumbers(), clientNumbers(), sdkNumbers()) {
		counted = append(counted, n.module+" "+n.symbol)
	}
	for _, h := range hedgers() {
		counted = append(counted, h.module+" "+h.policy, h.module+" "+h.number)
	}
	seen := make(map[string]bool)
	for _, l := range apis.Libraries() {
		if _, ok := asOthers[l.Module]; ok || l.Before != "" {
			continue
		}
		for _, p := range l.Policies {
			seen[l.Module+" "+p.Name] = true
		}
		for _, s := range l.Symbols {
			if s.Role == apis.Attempts {
				seen[l.Module+" "+s.String()] = true
			}
		}
	}
	for name := range seen {
		if unproven[name] == "" && !slices.Contains(counted, name) {
			t.Errorf("nothing counts %s", name)
		}
	}
	for _, name := range counted {
		if !seen[name] {
			t.Errorf("a test counts %s, which the tables do not have", name)
		}
		if unproven[name] != "" {
			t.Errorf("a test counts %s, which is said to be unproven", name)
		}
	}
	for name := range unproven {
		if !seen[name] {
			t.Errorf("%s is said to be unproven, and the tables do not have it", name)
		}
	}
}
