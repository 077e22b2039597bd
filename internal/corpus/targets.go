package main

// A target is a module and the packages of it that are checked.
type target struct {
	path, version string
	packages      []string // patterns below the module's path; "..." for all, "" for the root
	note          string   // what is to be known about the module beside its findings; for docs/results.md
}

// module names the module as findings.txt and labels.txt do.
func (t target) module() string { return t.path + "@" + t.version }

// targets are the modules, in the order of findings.txt: those that every change
// is tried on, small clients with retries of their own, larger clients, and two
// controls, which hardly send anything.
func targets() []target {
	all := []string{"..."}
	root := []string{""}
	return []target{
		{"github.com/tmc/langchaingo", "v0.1.14", all,
			"its adapters do not retry; where a provider does, it is a module of its own"},
		{"github.com/slack-go/slack", "v0.35.0", all,
			"a retrying client asks its handlers, an interface that users may implement; by default they repeat 429 only, and two of those it brings repeat POSTs after a reset or a 5xx"},
		{"github.com/go-acme/lego/v5", "v5.6.0", all,
			"retries are closures for a helper of another package over a library, mostly for polls, a bad nonce or a limit of rate; four providers put retryablehttp under their POSTs"},
		{"github.com/google/go-containerregistry", "v0.22.1", all,
			"its retrying transport hands a closure to another package; a mark in the context switches it off for uploads"},
		{"k8s.io/client-go", "v0.37.2", all,
			"repeats after 429 and 5xx only if the server sends `Retry-After`, through an interface"},
		{"github.com/cloudflare/cloudflare-go", "v0.119.0", root, ""},
		{"github.com/bwmarrin/discordgo", "v0.29.0", root, ""},
		{"github.com/posthog/posthog-go", "v1.5.2", root, ""},
		{"github.com/rollbar/rollbar-go", "v1.4.5", root,
			"its asynchronous transport puts the work back into the channel that it reads from"},
		{"github.com/prometheus/alertmanager", "v0.35.0", []string{"eventrecorder"}, ""},
		{"github.com/gage-technologies/mistral-go", "v1.1.0", root, ""},
		{"github.com/Azure/go-autorest/autorest", "v0.11.30", root, ""},
		{"github.com/launchdarkly/go-sdk-events/v3", "v3.5.0", root,
			"batches carry a payload id made above the loop; diagnostic events carry none, and a function of the user's may add headers"},
		{"github.com/elastic/elastic-transport-go/v8", "v8.11.0", []string{"elastictransport"},
			"repeats what it is given after 502, 503, 504 and any error, unless a function of the user's says otherwise"},
		{"github.com/minio/minio-go/v7", "v7.4.1", root, ""},
		{"github.com/linode/linodego", "v1.69.1", root, ""},

		{"charm.land/fantasy", "v0.41.2", all,
			"its retries call a model through an interface whose implementations import it"},
		{"github.com/sashabaranov/go-openai", "v1.43.0", all, "does not retry"},
		{"github.com/digitalocean/godo", "v1.237.0", all,
			"puts retryablehttp under all requests if configured, and `NewFromToken` configures it"},
		{"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp", "v1.47.0", all,
			"repeats an export, which its protocol allows, with a new body in each attempt"},
		{"github.com/hashicorp/consul/api", "v1.34.5", all, "loops of locks, sessions and watches: PUT and GET"},
		{"github.com/hashicorp/nomad/api", "v0.0.0-20261016150620-df630b26e78a", all,
			"one PUT is repeated; no version is tagged, this was the newest"},
		{"github.com/opensearch-project/opensearch-go/v4", "v4.8.1", all,
			"repeats what it is given, by default six times, in one long function"},
		{"github.com/influxdata/influxdb-client-go/v2", "v2.14.0", all,
			"a batch that failed goes back into a queue"},
		{"github.com/prometheus/prometheus", "v0.316.0", []string{"storage/remote/...", "notifier/...", "scrape/...", "discovery/..."},
			"repeats remote writes, which their protocol allows"},

		{"github.com/getkin/kin-openapi", "v0.153.0", all, "a control: reads and checks descriptions of APIs"},
		{"github.com/gin-gonic/gin", "v1.12.0", all, "a control: a server"},
	}
}
