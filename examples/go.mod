module github.com/resiliencevet/resiliencevet/examples

go 1.26.0

require (
	github.com/PuerkitoBio/rehttp v1.4.0
	github.com/avast/retry-go/v4 v4.7.0
	github.com/cristalhq/hedgedhttp v0.9.2
	github.com/failsafe-go/failsafe-go v0.9.8
	github.com/hashicorp/go-retryablehttp v0.7.8
	github.com/resiliencevet/resiliencevet/resilience v0.0.0
	github.com/sony/gobreaker/v2 v2.4.0
	resty.dev/v3 v3.0.0-rc.4
)

require (
	github.com/bits-and-blooms/bitset v1.24.4 // indirect
	github.com/hashicorp/go-cleanhttp v0.5.2 // indirect
	github.com/influxdata/tdigest v0.0.1 // indirect
	github.com/openai/openai-go v1.12.0 // indirect
	github.com/tidwall/gjson v1.14.4 // indirect
	github.com/tidwall/match v1.1.1 // indirect
	github.com/tidwall/pretty v1.2.1 // indirect
	github.com/tidwall/sjson v1.2.5 // indirect
	golang.org/x/net v0.43.0 // indirect
)

replace github.com/resiliencevet/resiliencevet/resilience => ../resilience
