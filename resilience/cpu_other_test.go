//go:build !unix

package resilience_test

import "time"

var started = time.Now()

// cpuTime is the time that has passed, where there is no better measure.
func cpuTime() time.Duration { return time.Since(started) }
