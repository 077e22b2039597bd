module github.com/resiliencevet/resiliencevet/examples

go 1.26.0

require github.com/resiliencevet/resiliencevet/resilience v0.0.0

require (
	github.com/bits-and-blooms/bitset v1.24.4 // indirect
	github.com/failsafe-go/failsafe-go v0.9.8 // indirect
)

replace github.com/resiliencevet/resiliencevet/resilience => ../resilience
