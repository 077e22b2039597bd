module github.com/resiliencevet/resiliencevet/resilience

go 1.26

require (
	github.com/failsafe-go/failsafe-go v0.9.8
	go.uber.org/goleak v1.3.0
)

require github.com/bits-and-blooms/bitset v1.24.4 // indirect
