package resilience

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"runtime"
	"time"
)

// Rules say what the parts of a stream mean: events, lines or values. Their
// functions are called on the caller's goroutine, once for each part. For one
// that is nil, the function that reads the stream has a rule of its own.
type Rules[T any] struct {
	// Content reports whether a part is progress: it ends the first-token
	// budget and renews the idle budget.
	Content func(T) bool
	// Done reports whether a part is the last one. It is handed over; what follows it is not.
	Done func(T) bool
	// Failed returns an error when a part reports one. That ends the stream with ErrEvent and this error.
	Failed func(T) error
	// EOF says that the stream has no last part: it is complete when it ends in order.
	EOF bool
}

const (
	closeAfter = 5 * time.Millisecond  // when something that ignores its context or its Close gets no more time,
	leaveAfter = time.Second           // and when an SDK does not
	drainFor   = 50 * time.Millisecond // for the end of a body whose last event has come,
	drainMost  = 4 << 10               // in so many bytes,
	drainCalls = 4                     // or calls of an SDK, so that its connection can be used again
)

// source is what is read. step runs on a goroutine of its own, because one that
// never returns must not hold the caller; the rest is the caller's.
type source[T any] interface {
	step()                              // one read, or one call of Next or Recv
	part() (part T, ok bool, err error) // what there is now; without a part and an error, another step is needed
	drain() bool                        // forgets what there is, and says whether another step may bring the end of the body
	bytes() int64                       // read so far
	payload(T) []byte                   // what an error event says
	meaning(T) meaning                  // where there are no Rules
}

// meaning is what a part is: progress, the last one, one for the caller, or an error.
type meaning struct {
	content, done, shown bool
	failed               error
}

// reader reads a source once.
type reader[T any] struct {
	s     *Stream
	src   source[T]
	rules Rules[T]
	close func() error // of an SDK: not to be called while it is in Next, if that can be helped; nil once called

	work, back chan struct{} // a step is wanted; it is done
	gone       chan struct{} // the goroutine that steps has ended
	lost       bool          // it has not, and is left behind
	panicked   any           // what a step has panicked with
	exited     bool          // a step has ended its goroutine, as a failed test does
}

// read is the loop behind every way of reading. body is closed as soon as a
// budget expires, sdk when its step has returned; either may be nil.
func read[T any](s *Stream, src source[T], body, sdk func() error, rules Rules[T]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		if !s.take(body) {
			var none T
			if body != nil {
				_ = body()
			}
			yield(none, &IncompleteError{Measurement: Measurement{End: StreamCanceled}, Err: ErrStreamClosed})
			return
		}
		r := &reader[T]{s: s, src: src, rules: rules, close: sdk,
			work: make(chan struct{}), back: make(chan struct{}, 1), gone: make(chan struct{})}
		go r.steps()
		defer r.end()
		r.loop(yield)
	}
}

func (r *reader[T]) loop(yield func(T, error) bool) {
	var none T
	for {
		part, ok, err := r.src.part()
		if !ok && err == nil {
			if r.step() {
				continue
			}
			yield(none, r.s.fail(StreamBroken, ErrStreamClosed, nil)) // it is settled why
			return
		}
		if err == io.EOF {
			if r.rules.EOF {
				r.s.complete()
				return
			}
			err = ErrTruncated
		}
		if err != nil {
			end := StreamBroken
			if errors.Is(err, ErrTruncated) {
				end = StreamTruncated
			}
			yield(none, r.s.fail(end, err, nil))
			return
		}
		m := r.judge(part)
		r.s.note(m.content)
		if m.failed != nil {
			yield(none, r.s.fail(StreamErrored, m.failed, r.src.payload(part)))
			return
		}
		if m.done {
			r.s.complete()
		}
		if left := m.shown && !yield(part, nil); m.done {
			r.drain()
			return
		} else if left {
			return
		}
	}
}

// judge applies the caller's rules, and the source's where there is none.
func (r *reader[T]) judge(part T) meaning {
	m := r.src.meaning(part)
	if r.rules.Failed != nil {
		m.failed = nil
		if err := r.rules.Failed(part); err != nil {
			m.failed = fmt.Errorf("%w: %w", ErrEvent, err)
		}
	}
	if m.failed != nil {
		return meaning{failed: m.failed}
	}
	if r.rules.Done != nil {
		m.done, m.shown = r.rules.Done(part), true
	} else if r.rules.EOF {
		m.done, m.shown = false, true
	}
	if r.rules.Content != nil {
		m.content = r.rules.Content(part)
	}
	return m
}

// step has one step done, and reports whether it was. When the stream ends
// meanwhile, a step that heard of it may still have brought something.
func (r *reader[T]) step() bool {
	if !r.s.await() {
		return false
	}
	r.work <- struct{}{}
	select {
	case <-r.back:
	case <-r.s.ended:
		if r.lost = !r.returns(); r.lost {
			return false
		}
	}
	r.s.arrived(r.src.bytes())
	if r.panicked != nil {
		panic(r.panicked) // on the goroutine of the caller, who may recover
	}
	if r.exited {
		runtime.Goexit()
	}
	return true
}

// returns waits for a step after the end of the stream.
func (r *reader[T]) returns() bool {
	t := time.NewTimer(closeAfter)
	defer t.Stop()
	select {
	case <-r.back:
		return true
	case <-t.C:
	}
	if r.close == nil {
		return false // a body is closed by now, and nobody else has it
	}
	// It was not made with the context of the stream. The caller may ask it for
	// its error next, so that there is time for it to come to rest.
	closer := r.close
	r.close = nil
	go func() { _ = closer() }()
	t.Reset(leaveAfter)
	select {
	case <-r.back:
		return true
	case <-t.C:
		return false
	}
}

// steps is the goroutine for the steps.
func (r *reader[T]) steps() {
	defer close(r.gone)
	for range r.work {
		r.once()
	}
}

func (r *reader[T]) once() {
	returned := false
	defer func() {
		if !returned {
			r.panicked = recover()
			r.exited = r.panicked == nil
		}
		r.back <- struct{}{} // has room also when nobody waits any more
	}()
	r.src.step()
	returned = true
}

// drain reads up to the end of the body, if that is near.
func (r *reader[T]) drain() {
	r.s.allow(drainFor)
	for r.src.drain() && r.step() {
	}
}

// end lets go of what was read.
func (r *reader[T]) end() {
	_ = r.s.expire(StreamLeft, ErrStreamClosed) // settled already, unless the caller left the loop
	close(r.work)
	if !r.lost {
		<-r.gone
	}
	select {
	case <-r.s.closed:
	default: // a timer is at it
		t := time.NewTimer(closeAfter)
		select {
		case <-r.s.closed:
		case <-t.C:
		}
		t.Stop()
	}
	if r.close != nil {
		_ = r.close()
	}
	r.s.finish()
}

// take makes a Stream that of one reader. A body that comes when the stream has
// ended is closed at once.
func (s *Stream) take(body func() error) bool {
	s.mu.Lock()
	if s.taken {
		s.mu.Unlock()
		return false
	}
	s.taken = true
	over := s.over
	if !over {
		s.closer = body
	}
	s.mu.Unlock()
	if over && body != nil {
		_ = body()
	}
	return true
}

// await begins to wait for the server. The first wait began with the stream.
func (s *Stream) await() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return false
	}
	if !s.waiting {
		s.waiting = true
		s.since = time.Since(s.began)
		s.idle.Reset(s.limit - s.spent)
	}
	return true
}

// arrived ends the wait.
func (s *Stream) arrived(bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = time.Since(s.began)
	s.spent += s.now - s.since
	s.waiting = false
	s.m.Bytes = bytes
}

// note counts a part, which came with the last step.
func (s *Stream) note(content bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.m.Events++
	if !content {
		return
	}
	if s.m.Content++; s.m.Content == 1 {
		s.m.FirstContent = s.now
		s.limit, s.reason = s.opts.Idle, ErrIdle
	} else {
		s.m.LargestGap = max(s.m.LargestGap, s.spent)
	}
	s.m.LastContent = s.now
	s.spent = 0
}

// allow is the budget for what follows the end.
func (s *Stream) allow(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limit, s.spent = d, 0
}

// complete says that all has come, also when a budget expired as it did.
func (s *Stream) complete() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.m.End = ""
	s.settle(StreamComplete, nil)
}

// fail settles that the stream has ended, unless it is settled, and returns the error.
func (s *Stream) fail(end StreamEnd, reason error, payload []byte) error {
	s.heed()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settle(end, reason)
	return &IncompleteError{Measurement: s.m, Err: s.err, Payload: payload}
}
