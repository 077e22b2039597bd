package resilience

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// StreamOptions are the budgets of one streamed answer. They differ from one
// model to the next: keep them beside its name.
type StreamOptions struct {
	// FirstToken is how long the first content may take, from NewStream on: with
	// the request, the wait for its headers, and what a model thinks before it
	// writes. Time that the caller takes with events that come before is left out.
	FirstToken time.Duration
	// Idle is how long there may be none between two contents. Only content
	// renews it; the time that the caller takes with an event is left out.
	Idle time.Duration
	// Deadline is how long the whole may take, from NewStream on, whatever comes.
	// 0 leaves that to the deadline of the context, which there must be then.
	Deadline time.Duration
	// MaxEvent is how many bytes a line or the data of an event may have. 0 is 16 MiB.
	MaxEvent int
	// OnEnd is told how the stream went, once, on the goroutine that read it or
	// closed it. Nil: nobody is.
	OnEnd func(context.Context, Measurement)
}

const mostEvent = 16 << 20

// Validate returns nil, or an error that names every field that cannot be, with
// its number.
func (o StreamOptions) Validate() error {
	var errs []error
	for _, b := range []struct {
		name string
		d    time.Duration
	}{{"FirstToken", o.FirstToken}, {"Idle", o.Idle}} {
		switch {
		case b.d < tooShort:
			errs = append(errs, fmt.Errorf("StreamOptions.%s is %v, want at least %v", b.name, b.d, tooShort))
		case o.Deadline >= tooShort && b.d > o.Deadline:
			errs = append(errs, fmt.Errorf("StreamOptions.%s %v is above Deadline %v: it would never expire", b.name, b.d, o.Deadline))
		}
	}
	if o.Deadline != 0 && o.Deadline < tooShort {
		errs = append(errs, fmt.Errorf("StreamOptions.Deadline is %v, want at least %v, or 0 for that of the context", o.Deadline, tooShort))
	}
	if o.MaxEvent < 0 {
		errs = append(errs, fmt.Errorf("StreamOptions.MaxEvent is %d, want at least 1, or 0 for %d", o.MaxEvent, mostEvent))
	}
	return errors.Join(errs...)
}

// Stream watches over one streamed answer: over the request for it, which is made
// with [Stream.Context], and over the reading of it, by [Stream.Events],
// [Stream.Lines], [NDJSON], [Next] or [Recv]. It is read once. When a budget
// expires, the context ends, the body is closed, and the read that was waiting
// returns at once.
//
// Close must be called. It may be called at any time, from any goroutine; the
// rest of a Stream belongs to one goroutine.
type Stream struct {
	opts     StreamOptions
	parent   context.Context
	ctx      context.Context
	cancel   context.CancelCauseFunc
	began    time.Time
	idle     *time.Timer   // of the first-token and the idle budget
	deadline *time.Timer   // nil without Deadline
	release  func() bool   // takes the Stream off the caller's context
	ended    chan struct{} // closed when the stream has ended,
	closed   chan struct{} // and when what was read is closed

	mu      sync.Mutex
	over    bool          // ended is closed
	taken   bool          // somebody reads it, or has
	closer  func() error  // closes what is read, also while it is read; nil before, and after it was called
	waiting bool          // for the server; else the caller is busy with an event, and no budget of a phase runs
	limit   time.Duration // what the budget of this phase allows
	reason  error         // the error of that budget
	spent   time.Duration // what earlier waits have used of it
	since   time.Duration // when the present wait began, from began
	now     time.Duration // when the last wait ended, from began
	m       Measurement   // End and Duration are set once, by settle or complete
	err     error         // why it ended, nil for well; set with End
}

// NewStream starts the clocks of a stream: call it before the request is sent.
// The error is that of [StreamOptions.Validate], or says that nothing bounds the whole.
func NewStream(ctx context.Context, o StreamOptions) (*Stream, error) {
	err := o.Validate()
	if _, ok := ctx.Deadline(); !ok && o.Deadline == 0 {
		err = errors.Join(err, errors.New("StreamOptions.Deadline is 0 and the context has no deadline: a stream that trickles would never end"))
	}
	if err != nil {
		return nil, fmt.Errorf("resilience: %w", err)
	}
	if o.MaxEvent == 0 {
		o.MaxEvent = mostEvent
	}
	s := &Stream{opts: o, parent: ctx, began: time.Now(), ended: make(chan struct{}), closed: make(chan struct{}),
		waiting: true, limit: o.FirstToken, reason: ErrFirstToken}
	s.ctx, s.cancel = context.WithCancelCause(ctx)
	s.mu.Lock() // until the timers are in their places
	defer s.mu.Unlock()
	s.idle = time.AfterFunc(o.FirstToken, s.look)
	if o.Deadline > 0 {
		s.deadline = time.AfterFunc(o.Deadline, func() { _ = s.expire(StreamDeadline, ErrDeadline) })
	}
	s.release = context.AfterFunc(ctx, s.left)
	return s, nil
}

// Context is the context of the request. It ends with the stream; when a budget
// has expired, its cause is an [IncompleteError].
func (s *Stream) Context() context.Context { return s.ctx }

// Close ends the stream: it closes what is read, and the read returns with
// ErrStreamClosed. After the end it does nothing. The error is that of closing.
func (s *Stream) Close() error {
	s.mu.Lock()
	unread := !s.taken
	s.taken = true
	s.mu.Unlock()
	if !unread {
		return s.expire(StreamCanceled, ErrStreamClosed)
	}
	s.heed()
	err := s.expire(StreamUnread, ErrStreamClosed)
	s.finish()
	return err
}

// look is what the timer of the phase does.
func (s *Stream) look() {
	s.mu.Lock()
	if s.over || !s.waiting {
		s.mu.Unlock()
		return
	}
	left := s.limit - s.spent - (time.Since(s.began) - s.since)
	if left > 0 { // it was set for an earlier wait
		s.idle.Reset(left)
		s.mu.Unlock()
		return
	}
	end, reason := StreamIdle, s.reason
	if reason == ErrFirstToken {
		end = StreamFirstToken
	}
	s.mu.Unlock()
	_ = s.expire(end, reason)
}

// heed looks whether the caller's context has ended. What is sent or read with
// the stream's may hear of that before left is called.
func (s *Stream) heed() {
	if s.parent.Err() != nil {
		s.left()
	}
}

// left is what the caller's context does.
func (s *Stream) left() {
	cause := context.Cause(s.parent)
	end := StreamCanceled
	if errors.Is(cause, context.DeadlineExceeded) {
		end = StreamDeadline
	}
	_ = s.expire(end, cause)
}

// expire ends the stream, unless it has ended. The connection is closed by the
// context, and by the body for what was not made with it.
func (s *Stream) expire(end StreamEnd, reason error) error {
	s.mu.Lock()
	if s.over {
		s.mu.Unlock()
		return nil
	}
	s.over = true
	s.settle(end, reason)
	cause := s.failure()
	closer := s.closer
	s.closer = nil
	s.mu.Unlock()
	s.cancel(cause)
	close(s.ended)
	defer close(s.closed)
	if closer != nil {
		return closer()
	}
	return nil
}

// settle decides how the stream ended: the first call does. mu is held.
func (s *Stream) settle(end StreamEnd, reason error) {
	if s.m.End == "" {
		s.m.End, s.err, s.m.Duration = end, reason, time.Since(s.began)
	}
}

// failure returns the error for what was settled. mu is held.
func (s *Stream) failure() error {
	if s.err == nil {
		return nil
	}
	return &IncompleteError{Measurement: s.m, Err: s.err}
}

// finish lets go of everything, and tells OnEnd.
func (s *Stream) finish() {
	s.idle.Stop()
	if s.deadline != nil {
		s.deadline.Stop()
	}
	s.release()
	if s.opts.OnEnd != nil {
		s.mu.Lock()
		m := s.m
		s.mu.Unlock()
		s.opts.OnEnd(s.parent, m)
	}
}
