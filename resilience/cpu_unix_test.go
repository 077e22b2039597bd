//go:build unix

package resilience_test

import (
	"syscall"
	"time"
)

// cpuTime is the processor time of this process, which says what something costs
// on a machine that is busy with other things, too.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // its arguments are right
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
