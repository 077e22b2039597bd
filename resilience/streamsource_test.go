package resilience_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/resiliencevet/resiliencevet/resilience"
)

// open is a Stream with budgets, and what OnEnd is told.
func open(t *testing.T, o resilience.StreamOptions) (*resilience.Stream, *resilience.Measurement) {
	t.Helper()
	told := new(resilience.Measurement)
	o.OnEnd = func(_ context.Context, m resilience.Measurement) { *told = m }
	s, err := resilience.NewStream(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s, told
}

// collect reads a stream to its end.
func collect[T any](seq func(func(T, error) bool)) (got []T, err error) {
	for v, e := range seq {
		if e != nil {
			err = e
		} else {
			got = append(got, v)
		}
	}
	return got, err
}

// body is a body whose Read and Close are functions.
type body struct {
	read  func([]byte) (int, error)
	close func() error
}

func (b body) Read(p []byte) (int, error) { return b.read(p) }
func (b body) Close() error {
	if b.close == nil {
		return nil
	}
	return b.close()
}

func text(s string) io.ReadCloser { return io.NopCloser(strings.NewReader(s)) }

func TestLines(t *testing.T) {
	s, told := open(t, budgets())
	got, err := collect(s.Lines(text("a\r\n\n b\nc"), resilience.Rules[string]{}))
	if err != nil || !reflect.DeepEqual(got, []string{"a", "", " b", "c"}) || told.Content != 3 || told.Events != 4 || told.Bytes != 8 {
		t.Errorf("%q, %v, %+v", got, err, told)
	}
	s, _ = open(t, budgets())
	last := resilience.Rules[string]{Done: func(line string) bool { return line == "." }}
	if got, err := collect(s.Lines(text("a\n.\nb\n"), last)); err != nil || !reflect.DeepEqual(got, []string{"a", "."}) {
		t.Errorf("%q, %v", got, err)
	}
	s, _ = open(t, budgets())
	if got, err := collect(s.Lines(text("a\n"), last)); !errors.Is(err, resilience.ErrTruncated) || len(got) != 1 {
		t.Errorf("%q, %v", got, err)
	}
}

func TestNDJSON(t *testing.T) {
	type chunk struct {
		Text string `json:"text"`
		Done bool   `json:"done"`
	}
	last := resilience.Rules[chunk]{Done: func(c chunk) bool { return c.Done }}
	for _, c := range []struct {
		name, in string
		rules    resilience.Rules[chunk]
		want     []chunk
		err      error
		says     string // besides err
	}{
		{"complete", "{\"text\":\"a\"}\n\n \r\n{\"done\":true}\n", last, []chunk{{"a", false}, {"", true}}, nil, ""},
		{"without a last line end", `{"done":true}`, last, []chunk{{"", true}}, nil, ""},
		{"cut off", "{\"text\":\"a\"}\n", last, []chunk{{"a", false}}, resilience.ErrTruncated, ""},
		{"cut off in a line", "{\"text\":\"a\"}\n{\"te", last, []chunk{{"a", false}}, resilience.ErrTruncated, "line of 4 bytes: unexpected end of JSON input"},
		{"no last value", "{\"text\":\"a\"}\n", resilience.Rules[chunk]{}, []chunk{{"a", false}}, nil, ""},
		{"error", "{\"text\":\"a\"}\n{\"error\": \"model has crashed\"}\n{\"done\":true}\n", last, []chunk{{"a", false}}, resilience.ErrEvent, ""},
		{"no value is carried over", "{\"text\":\"a\"}\n{}\n{\"done\":true}", last, []chunk{{"a", false}, {}, {"", true}}, nil, ""},
		{"not JSON", "tide\n", last, nil, nil, "line of 4 bytes: invalid character"},
	} {
		s, _ := open(t, budgets())
		got, err := collect(resilience.NDJSON(s, text(c.in), c.rules))
		if !reflect.DeepEqual(got, c.want) || c.err != nil && !errors.Is(err, c.err) || (err == nil) != (c.err == nil && c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %+v, %v; want %+v, %v%s", c.name, got, err, c.want, c.err, c.says)
		}
		if ie, ok := errors.AsType[*resilience.IncompleteError](err); ok && c.err == resilience.ErrEvent && string(ie.Payload) != `{"error": "model has crashed"}` {
			t.Errorf("payload %q", ie.Payload)
		}
	}
}

// sdk is a stream of an SDK that hands out numbers.
type sdk struct {
	ctx    context.Context // of the request; nil: the caller forgot it
	pause  time.Duration
	n      int
	end    int
	err    error // what Err says in the end
	closed chan struct{}
	once   atomic.Bool
	stuck  bool // Close does not end Next
	in     atomic.Bool
	t      *testing.T
}

func (s *sdk) Next() bool {
	if !s.in.CompareAndSwap(false, true) {
		s.t.Error("two calls of Next at once")
	}
	defer s.in.Store(false)
	if s.n == s.end && s.pause == 0 {
		return false
	}
	pause := s.pause
	if s.n == s.end {
		pause = time.Hour
	}
	var gone <-chan struct{}
	if s.ctx != nil {
		gone = s.ctx.Done()
	}
	closed := s.closed
	if s.stuck {
		closed = nil
	}
	select {
	case <-time.After(pause):
		s.n++
		return s.n <= s.end
	case <-gone:
		s.err = s.ctx.Err()
	case <-closed:
		s.err = errors.New("read on closed body")
	}
	return false
}

func (s *sdk) Current() int { return s.n }
func (s *sdk) Err() error   { return s.err }
func (s *sdk) Close() error {
	if s.once.CompareAndSwap(false, true) {
		close(s.closed)
	}
	return nil
}

func TestNext(t *testing.T) {
	for name, c := range map[string]struct {
		src  func(context.Context) *sdk
		want int
		err  error
		took time.Duration
		end  resilience.StreamEnd
	}{
		"complete":            {func(context.Context) *sdk { return &sdk{end: 3} }, 3, nil, 0, resilience.StreamComplete},
		"fails":               {func(context.Context) *sdk { return &sdk{end: 3, err: io.ErrShortBuffer} }, 3, io.ErrShortBuffer, 0, resilience.StreamBroken},
		"fails with EOF":      {func(context.Context) *sdk { return &sdk{end: 3, err: io.EOF} }, 3, io.ErrUnexpectedEOF, 0, resilience.StreamBroken},
		"stalls":              {func(ctx context.Context) *sdk { return &sdk{end: 3, ctx: ctx, pause: second} }, 3, resilience.ErrIdle, 18 * second, resilience.StreamIdle},
		"never begins":        {func(ctx context.Context) *sdk { return &sdk{ctx: ctx, pause: second} }, 0, resilience.ErrFirstToken, 30 * second, resilience.StreamFirstToken},
		"without its context": {func(context.Context) *sdk { return &sdk{end: 3, pause: second} }, 3, resilience.ErrIdle, 18*second + 5*time.Millisecond, resilience.StreamIdle},
		"deaf":                {func(context.Context) *sdk { return &sdk{end: 3, pause: second, stuck: true} }, 3, resilience.ErrIdle, 19*second + 5*time.Millisecond, resilience.StreamIdle},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				s, told := open(t, budgets())
				src := c.src(s.Context())
				src.closed, src.t = make(chan struct{}), t
				var got []int
				var err error
				for n, e := range resilience.Next(s, src, resilience.Rules[int]{}) {
					if err = e; err == nil {
						got = append(got, n)
						if src.in.Load() || src.Current() != n {
							t.Error("the SDK is at work while the caller is")
						}
					}
				}
				if len(got) != c.want || !errors.Is(err, c.err) || (err == nil) != (c.err == nil) || time.Since(began) != c.took || told.End != c.end {
					t.Errorf("%d, %v after %v (%s); want %d, %v after %v (%s)", got, err, time.Since(began), told.End, c.want, c.err, c.took, c.end)
				}
				if !src.once.Load() {
					t.Error("the stream of the SDK is not closed")
				}
				if src.stuck {
					time.Sleep(2 * time.Hour) // what was left behind ends when Next returns
				}
			})
		})
	}
}

// Without a word from the SDK, a Done rule is what tells a cut from an end.
func TestNextTruncated(t *testing.T) {
	for end, want := range map[int]error{3: nil, 2: resilience.ErrTruncated} {
		s, _ := open(t, budgets())
		got, err := collect(resilience.Next(s, &sdk{end: end, closed: make(chan struct{})}, resilience.Rules[int]{Done: func(n int) bool { return n == 3 }}))
		if len(got) != end || !errors.Is(err, want) || (err == nil) != (want == nil) {
			t.Errorf("%d, %v; want %v", got, err, want)
		}
	}
}

// After the last value an SDK gets a few calls, and no more than 50 ms, to come to
// the end of its body.
func TestNextDrains(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			values int // after the last
			stalls bool
			calls  int
			took   time.Duration
		}{{0, false, 4, 0}, {2, false, 6, 0}, {100, false, 7, 0}, {0, true, 4, 50 * time.Millisecond}} {
			began, n := time.Now(), 0
			s, told := open(t, budgets())
			got, err := collect(resilience.Recv(s, func() (int, error) {
				n++
				if n <= 3+c.values {
					return n, nil
				}
				if c.stalls {
					<-s.Context().Done()
					return 0, s.Context().Err()
				}
				return 0, io.EOF
			}, resilience.Rules[int]{Done: func(n int) bool { return n == 3 }}))
			if err != nil || len(got) != 3 || n != c.calls || time.Since(began) != c.took || told.End != resilience.StreamComplete {
				t.Errorf("%+v: %d, %v, %d calls, %v, %+v", c, got, err, n, time.Since(began), told)
			}
		}
	})
}

func TestRecv(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		recv := func(ctx context.Context, values int, end error) func() (string, error) {
			n := 0
			return func() (string, error) {
				if n++; n <= values {
					return fmt.Sprint(n), nil
				}
				if end != nil {
					return "", end
				}
				<-ctx.Done()
				return "", ctx.Err()
			}
		}
		s, _ := open(t, budgets())
		if got, err := collect(resilience.Recv(s, recv(s.Context(), 3, io.EOF), resilience.Rules[string]{})); len(got) != 3 || err != nil {
			t.Errorf("%q, %v", got, err)
		}
		s, _ = open(t, budgets())
		if got, err := collect(resilience.Recv(s, recv(s.Context(), 3, io.ErrUnexpectedEOF), resilience.Rules[string]{})); len(got) != 3 || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%q, %v", got, err)
		}
		s, _ = open(t, budgets())
		pings := resilience.Rules[string]{Content: func(s string) bool { return s != "3" }}
		if got, err := collect(resilience.Recv(s, recv(s.Context(), 3, nil), pings)); len(got) != 3 || !errors.Is(err, resilience.ErrIdle) || time.Since(began) != 15*second {
			t.Errorf("%q, %v after %v", got, err, time.Since(began))
		}
	})
}

// A body that neither Close nor a context ends does not hold its caller; what
// reads it is left behind until it returns.
func TestStuckBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		s, told := open(t, budgets())
		closed, returned := 0, make(chan struct{})
		stuck := body{func([]byte) (int, error) { time.Sleep(time.Hour); close(returned); return 5, nil }, func() error { closed++; return nil }}
		_, err := collect(s.Lines(stuck, resilience.Rules[string]{}))
		if took := time.Since(began); !errors.Is(err, resilience.ErrFirstToken) || took > 30*second+10*time.Millisecond || closed != 1 || told.Bytes != 0 {
			t.Errorf("%v after %v, closed %d times, %+v", err, took, closed, told)
		}
		<-returned
	})
}

// A Close that waits for its Read, as one with a mutex around both does, is no
// deadlock where the context ends the Read, and holds nobody where it does not.
func TestCloseWaitsForRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		s, _ := open(t, budgets())
		mu := make(chan struct{}, 1)
		locked := body{func([]byte) (int, error) {
			mu <- struct{}{}
			defer func() { <-mu }()
			time.Sleep(time.Hour)
			return 0, io.EOF
		}, func() error { mu <- struct{}{}; <-mu; return nil }}
		_, err := collect(s.Lines(locked, resilience.Rules[string]{}))
		if took := time.Since(began); !errors.Is(err, resilience.ErrFirstToken) || took > 30*second+10*time.Millisecond {
			t.Errorf("%v after %v", err, took)
		}
		time.Sleep(2 * time.Hour)
	})
}

// Readers that break the rules of io.Reader are errors, not endless loops or panics.
func TestBadReaders(t *testing.T) {
	for name, read := range map[string]func([]byte) (int, error){
		"nothing, for ever": func([]byte) (int, error) { return 0, nil },
		"too much":          func(p []byte) (int, error) { return len(p) + 1, nil },
		"less than nothing": func([]byte) (int, error) { return -1, nil },
		"an error of its own": func(p []byte) (int, error) {
			return copy(p, "data: a\n\n"), errors.New("the cable is cut")
		},
	} {
		s, told := open(t, budgets())
		got, err := collect(s.Events(body{read: read}, resilience.Rules[resilience.Event]{}))
		if err == nil || told.End != resilience.StreamBroken || len(got) == 0 != (name != "an error of its own") {
			t.Errorf("%s: %q, %v, %+v", name, got, err, told)
		}
	}
}

// A panic comes to the goroutine of the caller, wherever it began, and leaves
// nothing open.
func TestStreamPanics(t *testing.T) {
	bad := func() bool { panic(http.ErrAbortHandler) }
	in := "data: a\n\ndata: [DONE]\n\n"
	for name, read := range map[string]func(*resilience.Stream, body){
		"Content": func(s *resilience.Stream, b body) {
			_, _ = collect(s.Events(b, resilience.Rules[resilience.Event]{Content: func(resilience.Event) bool { return bad() }}))
		},
		"Done": func(s *resilience.Stream, b body) {
			_, _ = collect(s.Events(b, resilience.Rules[resilience.Event]{Done: func(resilience.Event) bool { return bad() }}))
		},
		"Failed": func(s *resilience.Stream, b body) {
			_, _ = collect(s.Events(b, resilience.Rules[resilience.Event]{Failed: func(resilience.Event) error { bad(); return nil }}))
		},
		"the loop": func(s *resilience.Stream, b body) {
			for range s.Events(b, resilience.Rules[resilience.Event]{}) {
				bad()
			}
		},
		"Read": func(s *resilience.Stream, b body) {
			b.read = func([]byte) (int, error) { bad(); return 0, nil }
			_, _ = collect(s.Lines(b, resilience.Rules[string]{}))
		},
	} {
		s, told := open(t, budgets())
		closed := 0
		func() {
			defer func() {
				if v := recover(); v != http.ErrAbortHandler {
					t.Errorf("%s: recovered %v", name, v)
				}
			}()
			read(s, body{strings.NewReader(in).Read, func() error { closed++; return nil }})
		}()
		if closed != 1 || told.End != resilience.StreamLeft || s.Context().Err() == nil {
			t.Errorf("%s: closed %d times, %+v", name, closed, told)
		}
	}
	done := make(chan bool)
	go func() { // as a failed test in Read does
		defer close(done)
		s, _ := resilience.NewStream(context.Background(), budgets())
		_, _ = collect(s.Lines(body{read: func([]byte) (int, error) { runtime.Goexit(); return 0, nil }}, resilience.Rules[string]{}))
		done <- true
	}()
	if <-done {
		t.Error("Goexit in Read did not end the goroutine of the caller")
	}
}

// A Stream is read once; what is read with it later is closed at once.
func TestStreamIsReadOnce(t *testing.T) {
	s, told := open(t, budgets())
	seq := s.Lines(text("a\n"), resilience.Rules[string]{})
	if got, err := collect(seq); err != nil || len(got) != 1 {
		t.Errorf("%q, %v", got, err)
	}
	first := *told
	closed := 0
	again := body{strings.NewReader("b\n").Read, func() error { closed++; return nil }}
	for _, seq := range []func(func(string, error) bool){seq, s.Lines(again, resilience.Rules[string]{})} {
		if got, err := collect(seq); !errors.Is(err, resilience.ErrStreamClosed) || len(got) != 0 {
			t.Errorf("%q, %v", got, err)
		}
	}
	unread, told := open(t, budgets())
	if err := unread.Close(); err != nil || told.End != resilience.StreamUnread {
		t.Errorf("%v, %+v", err, told)
	}
	if got, err := collect(unread.Lines(again, resilience.Rules[string]{})); !errors.Is(err, resilience.ErrStreamClosed) || len(got) != 0 || closed != 2 {
		t.Errorf("%q, %v, closed %d times", got, err, closed)
	}
	if first.End != resilience.StreamComplete {
		t.Errorf("%+v", first)
	}
}

// A body that comes after its budget is closed, and read no further.
func TestBodyTooLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, told := open(t, budgets())
		time.Sleep(31 * second)
		closed := 0
		late := body{func([]byte) (int, error) { t.Error("it was read"); return 0, io.EOF }, func() error { closed++; return nil }}
		_, err := collect(s.Lines(late, resilience.Rules[string]{}))
		if !errors.Is(err, resilience.ErrFirstToken) || closed != 1 || told.Duration != 30*second {
			t.Errorf("%v, closed %d times, %+v", err, closed, told)
		}
	})
}

// An event that comes at the very moment a budget expires is either handed over,
// or the budget says so; and an answer that is complete by then is complete.
func TestStreamTie(t *testing.T) {
	seen := map[resilience.StreamEnd]int{}
	for range 200 {
		synctest.Test(t, func(t *testing.T) {
			s, told := open(t, budgets())
			step := 0
			tie := body{read: func(p []byte) (int, error) {
				if step++; step == 1 {
					return copy(p, "data: a\n\n"), nil
				}
				time.Sleep(15 * second)
				return copy(p, "data: b\n\ndata: [DONE]\n\n"), io.EOF
			}}
			got, err := collect(s.Events(tie, resilience.Rules[resilience.Event]{}))
			if (err == nil) != (len(got) == 2) || err != nil && !errors.Is(err, resilience.ErrIdle) || (err == nil) != (told.End == resilience.StreamComplete) {
				t.Errorf("%d events, %v, %+v", len(got), err, told)
			}
			seen[told.End]++
		})
	}
	t.Log(seen)
}
