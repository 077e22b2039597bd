package resilience

import (
	"errors"
	"fmt"
	"time"
)

// What ends a stream before its answer is complete, for errors.Is. A context of
// the caller's ends it with its context.Cause, a connection with its error.
var (
	// ErrFirstToken: there was no content within StreamOptions.FirstToken.
	ErrFirstToken = errors.New("first-token budget expired")
	// ErrIdle: there was content, and then none for StreamOptions.Idle.
	ErrIdle = errors.New("idle budget expired")
	// ErrDeadline: the answer was not complete within StreamOptions.Deadline.
	ErrDeadline = errors.New("deadline of the stream expired")
	// ErrTruncated: the body ended in order, but without the event that ends an answer.
	ErrTruncated = errors.New("stream ended without its terminator")
	// ErrEvent: the server sent an error as an event.
	ErrEvent = errors.New("server reported an error in the stream")
	// ErrTooLong: a line or an event was longer than StreamOptions.MaxEvent.
	ErrTooLong = errors.New("line or event too long")
	// ErrStreamClosed: somebody called Stream.Close, or the Stream was read before.
	ErrStreamClosed = errors.New("stream is closed")
)

// A StreamEnd says how a stream ended. There are no others than these, so it can
// be a label of a metric.
type StreamEnd string

// Ends of a stream.
const (
	StreamComplete   StreamEnd = "complete"    // its terminator came, or its end where it has none
	StreamFirstToken StreamEnd = "first token" // ErrFirstToken
	StreamIdle       StreamEnd = "idle"        // ErrIdle
	StreamDeadline   StreamEnd = "deadline"    // ErrDeadline
	StreamCanceled   StreamEnd = "canceled"    // the caller's context, or Close, while there was more to come
	StreamTruncated  StreamEnd = "truncated"   // ErrTruncated
	StreamErrored    StreamEnd = "error event" // ErrEvent
	StreamBroken     StreamEnd = "broken"      // the body, the SDK or a decoder failed; ErrTooLong
	StreamLeft       StreamEnd = "left"        // the caller left the loop, or panicked in it
	StreamUnread     StreamEnd = "unread"      // closed before anything was read: the request has failed
)

// Measurement is how one stream went. FirstContent, LargestGap and Duration are
// what budgets are made from: set each above what 99 of 100 good streams need.
type Measurement struct {
	End     StreamEnd
	Events  int   // events, lines or values, whatever they were
	Content int   // those that were content
	Bytes   int64 // bytes of the body that were read; 0 for a stream of an SDK

	FirstContent time.Duration // from NewStream to the first content; 0 without any
	LastContent  time.Duration // from NewStream to the last content
	LargestGap   time.Duration // the longest wait for content after the first, without the time that the caller took
	Duration     time.Duration // from NewStream to the end
}

// IncompleteError is the error of a stream that ended before its answer was
// complete. What was handed over before stays with the caller, to show, to
// resume from or to throw away.
type IncompleteError struct {
	Measurement
	Err     error  // why
	Payload []byte // the data of the event, when Err is ErrEvent; nil for a stream of an SDK
}

// Error implements error. It says how long each phase took: up to the first
// content, while content came, and without any after it.
func (e *IncompleteError) Error() string {
	ms := func(d time.Duration) time.Duration { return d.Round(time.Millisecond) }
	if e.Content == 0 {
		return fmt.Sprintf("%v after %v: no content, %d events, %d bytes", e.Err, ms(e.Duration), e.Events, e.Bytes)
	}
	return fmt.Sprintf("%v after %v: first content after %v, more for %v, then none for %v; %d of content among %d events, %d bytes",
		e.Err, ms(e.Duration), ms(e.FirstContent), ms(e.LastContent-e.FirstContent), ms(e.Duration-e.LastContent), e.Content, e.Events, e.Bytes)
}

// Unwrap returns Err.
func (e *IncompleteError) Unwrap() error { return e.Err }

// Timeout reports whether time ran out: a budget, or a deadline of the caller or
// of the connection.
func (e *IncompleteError) Timeout() bool {
	if errors.Is(e.Err, ErrFirstToken) || errors.Is(e.Err, ErrIdle) || errors.Is(e.Err, ErrDeadline) {
		return true
	}
	t, ok := errors.AsType[interface {
		error
		Timeout() bool
	}](e.Err)
	return ok && t.Timeout()
}
