//go:build unix

package main

import (
	"fmt"
	"runtime"
	"syscall"
	"time"
)

// usage fills in what the process has cost so far.
//
// It asks about itself: the wait of a parent would add the go command, which
// is a child of this process, to it. Linux lets a process begin with the peak
// memory of its parent, so the parent must stay small, and it does.
func (s *sample) usage() error {
	var self, children syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &self); err != nil {
		return fmt.Errorf("getrusage: %w", err)
	}
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &children); err != nil {
		return fmt.Errorf("getrusage: %w", err)
	}
	s.Self, s.Children = seconds(self), seconds(children)
	s.Peak = int64(self.Maxrss)
	if runtime.GOOS != "darwin" && runtime.GOOS != "ios" {
		s.Peak *= 1024 // elsewhere in kilobytes
	}
	return nil
}

// seconds is the processor time, of the user's and of the system's kind.
func seconds(u syscall.Rusage) float64 {
	return (time.Duration(u.Utime.Nano()) + time.Duration(u.Stime.Nano())).Seconds()
}
