package policy

import (
	"slices"
	"strings"

	"github.com/resiliencevet/resiliencevet/internal/flow"
)

// An outcome is one way in which an attempt can end. The model asks of each
// whether the code sends the request again after it.
type outcome struct {
	name   string // as messages say it
	status int    // of the response, 0 if the transport failed
	fault  fault  // of the transport
	// unreadable says that the response is a success whose body breaks off or
	// cannot be decoded.
	unreadable bool
}

// fault is how the transport failed.
type fault uint8

const (
	noFault fault = iota
	faultTimeout
	faultReset
	faultEOF
)

// success is an attempt that worked.
var success = outcome{name: "a success", status: 200}

// anything is an attempt of which nothing is known.
var anything = outcome{name: "anything"}

// ambiguous lists the outcomes after which nobody knows whether the server has
// done the work: the request was written, and no answer, or one that a proxy
// or a crashed handler gives, came back. 503 and 429 are not among them: by
// RFC 9110 §15.6.4 and RFC 6585 §4 the server says that it did not take the
// request. Dial errors are not: nothing was sent.
var ambiguous = []outcome{
	{name: "timeout", fault: faultTimeout},
	{name: "connection reset", fault: faultReset},
	{name: "connection reset", fault: faultEOF},
	{name: "500", status: 500},
	{name: "502", status: 502},
	{name: "504", status: 504},
	{name: "unreadable answer", status: 200, unreadable: true},
}

// refused are answers by which the server says that it did not take the
// request: harmless to repeat, but answers all the same, and the body was read.
var refused = []outcome{{name: "429", status: 429}, {name: "503", status: 503}}

// turnedAway is the answer that the same request gets a second chance after, with
// new credentials: whatever the server has done, the body was read.
var turnedAway = []outcome{{name: "401", status: 401}}

// outcomes are those that a mode asks about.
func (m mode) outcomes() []outcome {
	switch m {
	case usedBody:
		return slices.Concat(ambiguous, refused, turnedAway)
	case leak:
		return slices.Concat(ambiguous[3:6], refused, turnedAway)
	}
	return ambiguous
}

// text is what the error of a fault says, as net/http words it; used where
// code searches the text of an error.
func (f fault) text() string {
	switch f {
	case faultTimeout:
		return "context deadline exceeded (Client.Timeout exceeded while awaiting headers) i/o timeout net/http: request canceled"
	case faultReset:
		return "read tcp: read: connection reset by peer"
	case faultEOF:
		return "EOF unexpected EOF"
	}
	return ""
}

// attemptError is the Obj of an error that an attempt ended with, or of one
// that was made from it.
type attemptError struct {
	fault fault
	// wraps is the error inside, as fmt.Errorf's %w, errors.Join or a call
	// that takes and returns an error leave it.
	wraps *flow.Value
	// opaque says that code that cannot be seen made it of the one inside, so
	// that its type is unknown.
	opaque bool
	inner  bool // it is what net/http's *url.Error holds
}

// urlError is the type that http.Client wraps errors in.
const urlError = "*net/url.Error"

// errorText is the Obj of the text of an attempt's error.
type errorText struct{ fault fault }

// chain walks the errors inside an error. known is false when some of them
// cannot be seen.
func chain(v *flow.Value) (errs []*flow.Value, known bool) {
	known = true
	for v != nil && len(errs) < 16 {
		errs = append(errs, v)
		e, ok := v.Obj.(*attemptError)
		if !ok {
			// an error of a type of its own may unwrap to anything, but a
			// sentinel or a text error does not
			if v.Dyn != nil && v.Global == nil && !isErrorsNew(v) {
				return errs, true
			}
			return errs, known && (v.Kind != flow.Unknown)
		}
		if e.opaque {
			known = false
		}
		v = e.wraps
	}
	return errs, known
}

func isErrorsNew(v *flow.Value) bool { _, ok := v.Obj.(*attemptError); return ok }

// faultOf returns the fault in an error's chain.
func faultOf(v *flow.Value) fault {
	errs, _ := chain(v)
	for _, e := range errs {
		if a, ok := e.Obj.(*attemptError); ok && a.fault != noFault {
			return a.fault
		}
	}
	return noFault
}

// sentinels says which package variables errors.Is finds in the error of a
// fault (net/http's and net's errors, go1.26). Variables not listed are not
// in it if they are the standard library's.
var sentinels = map[string][]fault{
	"context.DeadlineExceeded":    {faultTimeout},
	"os.ErrDeadlineExceeded":      {faultTimeout},
	"io.EOF":                      {faultEOF},
	"io.ErrUnexpectedEOF":         {faultEOF},
	"net/http.ErrHandlerTimeout":  nil,
	"syscall.ECONNRESET":          {faultReset},
	"golang.org/x/sys/unix.EPIPE": nil,
}

func (f fault) in(fs []fault) bool {
	for _, x := range fs {
		if x == f {
			return true
		}
	}
	return false
}

// netErrors says for the standard library's error types which faults
// errors.As finds them in.
var netErrors = map[string][]fault{
	"net.Error":                                {faultTimeout, faultReset, faultEOF}, // *url.Error is one
	urlError:                                   {faultTimeout, faultReset, faultEOF},
	"*net.OpError":                             {faultReset},
	"*os.SyscallError":                         {faultReset},
	"syscall.Errno":                            {faultReset},
	"*net.DNSError":                            nil,
	"net.UnknownNetworkError":                  nil,
	"*crypto/x509.UnknownAuthorityError":       nil,
	"crypto/x509.UnknownAuthorityError":        nil,
	"crypto/x509.HostnameError":                nil,
	"*crypto/tls.CertificateVerificationError": nil,
}

// contains says whether the text of a fault's error holds a part.
func (f fault) contains(part string) bool {
	return strings.Contains(strings.ToLower(f.text()), strings.ToLower(part))
}

// describe joins the names of outcomes for a message: "a timeout, a connection
// reset or a 502".
func describe(os []outcome) string {
	var names []string
	seen := map[string]bool{}
	five := 0
	for _, o := range os {
		if o.status >= 500 {
			five++
		}
	}
	for _, o := range os {
		n := "a " + o.name
		if o == success {
			n = o.name
		}
		if o.unreadable {
			n = "an answer that cannot be read"
		}
		if o.status >= 500 && five >= 3 { // all that are asked about
			n = "a 5xx response"
		} else if o.status >= 500 {
			n = "a " + o.name + " response"
		}
		if !seen[n] {
			seen[n] = true
			names = append(names, n)
		}
	}
	switch len(names) {
	case 0:
		return ""
	case 1:
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}
