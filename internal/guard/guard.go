// Package guard keeps a bug of one analyzer from taking the others with it.
//
// Two drivers make it necessary. honnef's runner does not recover panics, and
// it drops an analyzer's error while it caches the package as clean. go vet
// throws away the findings of every other analyzer when one returns an error.
// So no Run function of this program may panic or return an error: it runs
// under Do, and what went wrong becomes a value that can be reported.
package guard

import (
	"fmt"
	"path"
	"runtime"
	"strings"
)

// modulePath is the prefix of the import paths of this program's own code.
const modulePath = "github.com/resiliencevet/resiliencevet/"

// Do calls f. It returns nil when f returned nil, and otherwise a description
// of the panic or the error.
func Do(f func() error) (failure *Failure) {
	defer func() {
		// A panic with a nil value arrives as *runtime.PanicNilError, so nil
		// here means that there was none.
		if v := recover(); v != nil {
			failure = &Failure{Reason: fmt.Sprintf("panic: %v", v), At: panicSite()}
		}
	}()
	if err := f(); err != nil {
		return &Failure{Reason: err.Error()}
	}
	return nil
}

// A Failure is a panic or an error inside this program.
type Failure struct {
	Reason string // "panic: index out of range [3] with length 3"
	At     string // where in our code, "internal/policy/layer.go:41"; empty for an error
}

// Error describes the failure in one line.
func (f *Failure) Error() string {
	// A panic value may hold anything; a finding is one line.
	reason := strings.Join(strings.Fields(f.Reason), " ")
	if f.At == "" {
		return reason
	}
	return reason + " (" + f.At + ")"
}

// panicSite names the innermost frame of our own code that was active when the
// panic began. It must be called from the deferred function that recovered.
// The name is made of the import path and the base name of the file, so that
// it does not depend on where the program was built.
func panicSite() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(0, pcs)])
	panicking := false
	fallback := ""
	for {
		f, more := frames.Next()
		switch {
		case f.Function == "runtime.gopanic":
			// Frames before this one belong to the recovery itself. A panic
			// inside a deferred call starts the search anew: the site wanted
			// is the one below the last gopanic before our code.
			panicking = true
		case !panicking || strings.HasPrefix(f.Function, "runtime."):
		case ours(f.Function):
			return site(strings.TrimPrefix(f.Function, modulePath), f)
		case fallback == "":
			fallback = site(f.Function, f)
		}
		if !more {
			return fallback
		}
	}
}

// ours reports whether a function belongs to this program and is not part of
// the recovery.
func ours(function string) bool {
	if strings.HasPrefix(function, "main.") {
		return true // a main package has no path in its symbols
	}
	return strings.HasPrefix(function, modulePath) && !strings.HasPrefix(function, modulePath+"internal/guard.")
}

// site renders a frame as package directory, file and line.
func site(function string, f runtime.Frame) string {
	// "internal/policy.(*build).layer" and "internal/policy.New.func1":
	// the directory ends at the first dot after the last slash.
	dir, last := path.Split(function)
	pkg, _, _ := strings.Cut(last, ".")
	// A frame's file has slashes on every system.
	return fmt.Sprintf("%s:%d", path.Join(dir, pkg, path.Base(f.File)), f.Line)
}
