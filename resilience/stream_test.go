package resilience_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/resiliencevet/resiliencevet/resilience"
	"github.com/resiliencevet/resiliencevet/resilience/internal/memhttp"
)

const second = time.Second

// budgets are easy to tell apart.
func budgets() resilience.StreamOptions {
	return resilience.StreamOptions{FirstToken: 30 * second, Idle: 15 * second, Deadline: 300 * second}
}

// say is a part of a script: after a pause, a text is written and flushed.
type say struct {
	after time.Duration
	text  string
}

func token(after time.Duration) say { return say{after, "data: {\"t\":\"tide \"}\n\n"} }

var done = say{0, "data: [DONE]\n\n"}

func times(n int, s say) (script []say) {
	for range n {
		script = append(script, s)
	}
	return script
}

// model answers with a script, once the headers are sent, and then ends its
// answer or, if it stalls, keeps the connection open.
type model struct {
	header time.Duration // before the headers
	script []say
	stalls bool
	gone   chan time.Duration // when the client had left, from began
	began  time.Time
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	defer func() {
		if r.Context().Err() != nil {
			m.gone <- time.Since(m.began)
		}
	}()
	if !sleep(r, m.header) {
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	_ = http.NewResponseController(w).Flush()
	for _, s := range m.script {
		if !sleep(r, s.after) {
			return
		}
		_, _ = io.WriteString(w, s.text)
		_ = http.NewResponseController(w).Flush()
	}
	if m.stalls {
		<-r.Context().Done()
	}
}

// answer is what came of one stream.
type answer struct {
	*testing.T
	events []resilience.Event
	err    error
	took   time.Duration
	told   []resilience.Measurement
	gone   time.Duration // when the server noticed; -1: it did not
	dialed int64
}

// ask plays a model and reads it, in a bubble. The bubble fails when a goroutine
// or a connection is left behind.
func ask(t *testing.T, m *model, o resilience.StreamOptions, rules resilience.Rules[resilience.Event], each func(*resilience.Stream, int) bool, check func(*answer)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		m.gone, m.began = make(chan time.Duration, 1), time.Now()
		server := memhttp.Serve(m)
		a := &answer{T: t, gone: -1}
		o.OnEnd = func(_ context.Context, m resilience.Measurement) { a.told = append(a.told, m) }
		s, err := resilience.NewStream(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		a.events, a.err = converse(s, server.Transport, rules, each)
		a.took = time.Since(m.began)
		if err := s.Close(); err != nil {
			t.Errorf("Close after the end: %v", err)
		}
		server.Stop()
		select {
		case a.gone = <-m.gone:
		default:
		}
		a.dialed = server.Dialled.Load()
		if len(a.told) != 1 {
			t.Fatalf("OnEnd was called %d times", len(a.told))
		}
		if a.err != nil {
			ie, ok := errors.AsType[*resilience.IncompleteError](a.err)
			if !ok || ie.Measurement != a.told[0] && len(a.events) > 0 {
				t.Errorf("the error has %+v, and OnEnd was told %+v", ie, a.told[0])
			}
		}
		check(a)
	})
}

// converse sends a request and reads the answer.
func converse(s *resilience.Stream, rt http.RoundTripper, rules resilience.Rules[resilience.Event], each func(*resilience.Stream, int) bool) (got []resilience.Event, err error) {
	req, err := http.NewRequestWithContext(s.Context(), http.MethodPost, "http://model.test/v1/chat", strings.NewReader("{}"))
	if err != nil {
		return nil, err
	}
	resp, err := (&http.Client{Transport: rt}).Do(req)
	if err != nil {
		return nil, err
	}
	for ev, err := range s.Events(resp.Body, rules) {
		if err != nil {
			return got, err
		}
		got = append(got, ev)
		if each != nil && !each(s, len(got)) {
			break
		}
	}
	return got, nil
}

func (a *answer) want(events int, err error, took time.Duration, end resilience.StreamEnd) {
	a.Helper()
	if len(a.events) != events || !errors.Is(a.err, err) || (err == nil) != (a.err == nil) || a.took != took || a.told[0].End != end {
		a.Errorf("%d events, %v after %v (%s); want %d, %v after %v (%s)", len(a.events), a.err, a.took, a.told[0].End, events, err, took, end)
	}
}

// left is when the server has noticed that its client is gone.
func (a *answer) left(at time.Duration) {
	a.Helper()
	if a.gone != at {
		a.Errorf("the server was left at %v, want %v", a.gone, at)
	}
}

func TestStreamComplete(t *testing.T) {
	script := append(append([]say{{20 * second, ": thinking\n\n"}, token(5 * second)}, times(700, token(second/4))...), done)
	ask(t, &model{header: second, script: script}, budgets(), resilience.Rules[resilience.Event]{}, nil, func(a *answer) {
		a.want(701, nil, 201*second, resilience.StreamComplete)
		a.left(-1)
		m := a.told[0]
		if m.FirstContent != 26*second || m.LastContent != 201*second || m.LargestGap != second/4 || m.Duration != 201*second ||
			m.Events != 702 || m.Content != 701 || m.Bytes != int64(len(": thinking\n\n")+701*len(token(0).text)+len(done.text)) {
			a.Errorf("measured %+v", m)
		}
	})
}

func TestStreamFirstToken(t *testing.T) {
	for name, m := range map[string]*model{
		"no headers": {header: 600 * second},
		"no event":   {stalls: true},
		"pings":      {script: times(100, say{second, "event: ping\ndata: {}\n\n: still here\n\n"}), stalls: true},
		"empty data": {script: times(100, say{second, "data: \n\ndata\n\n"}), stalls: true},
		"late":       {script: []say{token(31 * second)}},
	} {
		t.Run(name, func(t *testing.T) {
			ask(t, m, budgets(), resilience.Rules[resilience.Event]{}, nil, func(a *answer) {
				n := len(a.events) // pings are handed over, too
				a.want(n, resilience.ErrFirstToken, 30*second, resilience.StreamFirstToken)
				a.left(30 * second)
				if m := a.told[0]; m.Content != 0 || m.FirstContent != 0 || m.Duration != 30*second {
					a.Errorf("measured %+v", m)
				}
				if te, ok := errors.AsType[interface {
					error
					Timeout() bool
				}](a.err); !ok || !te.Timeout() {
					a.Errorf("%v is no timeout", a.err)
				}
			})
		})
	}
}

func TestStreamIdle(t *testing.T) {
	for name, after := range map[string][]say{
		"silence":        nil,
		"comments":       times(100, say{second, ": still here\n\n"}),
		"pings":          times(100, say{second, "event: ping\ndata: {}\n\n"}),
		"empty lines":    times(100, say{second, "\n"}),
		"half an event":  times(100, say{second, "data: x\n"}),
		"half a line":    times(100, say{second, "x"}),
		"event no data":  times(100, say{second, "event: tick\nid: 4\n\n"}),
		"exactly as due": {say{15 * second, ": \n\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			m := &model{script: append(times(100, token(second/20)), after...), stalls: true}
			ask(t, m, budgets(), resilience.Rules[resilience.Event]{}, nil, func(a *answer) {
				a.want(len(a.events), resilience.ErrIdle, 20*second, resilience.StreamIdle)
				a.left(20 * second)
				got := a.told[0]
				if got.Content != 100 || got.LastContent != 5*second || got.LargestGap != second/20 {
					a.Errorf("measured %+v", got)
				}
				if want := "idle budget expired after 20s: first content after 50ms, more for 4.95s, then none for 15s; 100 of content among"; !strings.HasPrefix(a.err.Error(), want) {
					a.Errorf("%v; want %s", a.err, want)
				}
			})
		})
	}
}

// What trickles for ever is ended by the deadline, and by that of the caller.
func TestStreamDeadline(t *testing.T) {
	m := &model{script: times(100, token(10*second))}
	ask(t, m, budgets(), resilience.Rules[resilience.Event]{}, nil, func(a *answer) {
		if len(a.events) != 29 && len(a.events) != 30 { // one comes as the deadline does
			a.Errorf("%d events", len(a.events))
		}
		a.want(len(a.events), resilience.ErrDeadline, 300*second, resilience.StreamDeadline)
		a.left(300 * second)
	})
}

func TestStreamCallersContext(t *testing.T) {
	cause := errors.New("the user pressed Stop")
	for name, c := range map[string]struct {
		ctx  func(context.Context) (context.Context, func())
		want error
		end  resilience.StreamEnd
	}{
		"deadline": {func(ctx context.Context) (context.Context, func()) {
			ctx, cancel := context.WithTimeout(ctx, 42*second)
			return ctx, func() { cancel() }
		}, context.DeadlineExceeded, resilience.StreamDeadline},
		"cause": {func(ctx context.Context) (context.Context, func()) {
			ctx, cancel := context.WithCancelCause(ctx)
			stop := time.AfterFunc(42*second, func() { cancel(cause) })
			return ctx, func() { stop.Stop(); cancel(nil) }
		}, cause, resilience.StreamCanceled},
	} {
		for where, m := range map[string]*model{"stall": {script: []say{token(41 * second)}, stalls: true}, "headers": {header: 100 * second}} {
			t.Run(name+" "+where, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					m.gone, m.began = make(chan time.Duration, 1), time.Now()
					server := memhttp.Serve(m)
					defer server.Stop()
					ctx, cancel := c.ctx(t.Context())
					defer cancel()
					o := budgets()
					o.FirstToken, o.Deadline = 100*second, 400*second
					var told resilience.Measurement
					o.OnEnd = func(_ context.Context, m resilience.Measurement) { told = m }
					s, err := resilience.NewStream(ctx, o)
					if err != nil {
						t.Fatal(err)
					}
					_, err = converse(s, server.Transport, resilience.Rules[resilience.Event]{}, nil)
					_ = s.Close()
					if !errors.Is(err, c.want) || time.Since(m.began) != 42*second || told.End != c.end {
						t.Errorf("%v after %v, %+v; want %v", err, time.Since(m.began), told, c.want)
					}
					if at := <-m.gone; at != 42*second {
						t.Errorf("the server was left at %v", at)
					}
				})
			})
		}
	}
}

// The time that a caller takes is not the server's, for which a deadline cares
// nothing.
func TestStreamSlowCaller(t *testing.T) {
	m := &model{script: append(times(10, token(second)), done)}
	slow := func(_ *resilience.Stream, n int) bool { time.Sleep(20 * second); return true }
	ask(t, m, budgets(), resilience.Rules[resilience.Event]{}, slow, func(a *answer) {
		// The connection holds nothing, so the model waits for its client with each event.
		a.want(10, nil, a.took, resilience.StreamComplete)
		if a.told[0].LargestGap > second || a.took < 200*second {
			a.Errorf("measured %+v after %v", a.told[0], a.took)
		}
	})
	m = &model{script: append(times(30, token(second)), done)}
	ask(t, m, budgets(), resilience.Rules[resilience.Event]{}, slow, func(a *answer) {
		a.want(len(a.events), resilience.ErrDeadline, a.took, resilience.StreamDeadline)
		if a.took < 300*second || a.took > 320*second || a.told[0].Duration != 300*second {
			a.Errorf("it took %v, %+v", a.took, a.told[0])
		}
		a.left(300 * second)
	})
}

func TestStreamEnds(t *testing.T) {
	for name, c := range map[string]struct {
		text   string
		rules  resilience.Rules[resilience.Event]
		events int
		err    error
		end    resilience.StreamEnd
	}{
		"[DONE]":             {"data: a\n\ndata: [DONE]\n\n", resilience.Rules[resilience.Event]{}, 1, nil, resilience.StreamComplete},
		"message_stop":       {"data: a\n\nevent: message_stop\ndata: {}\n\n", resilience.Rules[resilience.Event]{}, 2, nil, resilience.StreamComplete},
		"response.completed": {"event: response.completed\ndata: {}\n\n", resilience.Rules[resilience.Event]{}, 1, nil, resilience.StreamComplete},
		"what follows":       {"data: a\n\ndata: [DONE]\n\ndata: b\n\n", resilience.Rules[resilience.Event]{}, 1, nil, resilience.StreamComplete},
		"no terminator":      {"data: a\n\n", resilience.Rules[resilience.Event]{}, 1, resilience.ErrTruncated, resilience.StreamTruncated},
		"half a terminator":  {"data: a\n\ndata: [DONE]\n", resilience.Rules[resilience.Event]{}, 1, resilience.ErrTruncated, resilience.StreamTruncated},
		"nothing":            {"", resilience.Rules[resilience.Event]{}, 0, resilience.ErrTruncated, resilience.StreamTruncated},
		"error event":        {"data: a\n\nevent: error\ndata: {\"type\":\"overloaded_error\"}\n\n", resilience.Rules[resilience.Event]{}, 1, resilience.ErrEvent, resilience.StreamErrored},
		"error object":       {"data: a\n\ndata: {\"error\":{\"code\":500}}\n\ndata: [DONE]\n\n", resilience.Rules[resilience.Event]{}, 1, resilience.ErrEvent, resilience.StreamErrored},
		"no error":           {"data: {\"error\": null}\n\ndata: {\"errors\":1}\n\ndata: {\"error\":false}\n\ndata: [DONE]\n\n", resilience.Rules[resilience.Event]{}, 3, nil, resilience.StreamComplete},
		"own Done": {"data: a\n\ndata: end\n\n", resilience.Rules[resilience.Event]{Done: func(ev resilience.Event) bool { return string(ev.Data) == "end" }},
			2, nil, resilience.StreamComplete},
		"own Done, [DONE]": {"data: a\n\ndata: [DONE]\n\n", resilience.Rules[resilience.Event]{Done: func(ev resilience.Event) bool { return string(ev.Data) == "end" }},
			2, resilience.ErrTruncated, resilience.StreamTruncated},
		"no last event": {"data: a\n\ndata: b\n\n", resilience.Rules[resilience.Event]{EOF: true}, 2, nil, resilience.StreamComplete},
		"own Failed": {"data: a\n\ndata: no\n\n", resilience.Rules[resilience.Event]{Failed: func(ev resilience.Event) error {
			if string(ev.Data) == "no" {
				return io.ErrShortWrite
			}
			return nil
		}}, 1, io.ErrShortWrite, resilience.StreamErrored},
		"too long": {"data: a\n\ndata: " + strings.Repeat("b", 5000) + "\n\n", resilience.Rules[resilience.Event]{}, 1, resilience.ErrTooLong, resilience.StreamBroken},
	} {
		t.Run(name, func(t *testing.T) {
			o := budgets()
			o.MaxEvent = 1000
			ask(t, &model{script: []say{{second, c.text}}}, o, c.rules, nil, func(a *answer) {
				a.want(c.events, c.err, second, c.end)
				if ie, ok := errors.AsType[*resilience.IncompleteError](a.err); ok && (len(ie.Payload) > 0) != (c.end == resilience.StreamErrored) {
					a.Errorf("%v has the payload %q", ie, ie.Payload)
				}
			})
		})
	}
}

// A connection is used again after a complete answer, and closed after any other.
func TestStreamConnection(t *testing.T) {
	for name, c := range map[string]struct {
		model *model
		dials int64
		took  time.Duration
	}{
		"complete":      {&model{script: []say{token(second), done}}, 1, second},
		"ends late":     {&model{script: []say{token(second), done, {second / 100, ""}}}, 1, second + second/100},
		"does not end":  {&model{script: []say{token(second), done}, stalls: true}, 2, second + second/20},
		"goes on":       {&model{script: append([]say{token(second), done}, times(10000, say{0, strings.Repeat(":\n", 1000)})...)}, 2, second},
		"no terminator": {&model{script: []say{token(second)}}, 1, second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c.model.gone, c.model.began = make(chan time.Duration, 2), time.Now()
				server := memhttp.Serve(c.model)
				defer server.Stop()
				for range 2 {
					began := time.Now()
					s, err := resilience.NewStream(t.Context(), budgets())
					if err != nil {
						t.Fatal(err)
					}
					_, _ = converse(s, server.Transport, resilience.Rules[resilience.Event]{}, nil)
					if took := time.Since(began); took != c.took {
						t.Errorf("it took %v, want %v", took, c.took)
					}
					_ = s.Close()
					synctest.Wait()
				}
				if n := server.Dialled.Load(); n != c.dials {
					t.Errorf("%d connections, want %d", n, c.dials)
				}
			})
		})
	}
}

// Whoever leaves the loop leaves nothing behind.
func TestStreamLeft(t *testing.T) {
	m := &model{script: times(100, token(second)), stalls: true}
	ask(t, m, budgets(), resilience.Rules[resilience.Event]{}, func(_ *resilience.Stream, n int) bool { return n < 3 }, func(a *answer) {
		a.want(3, nil, 3*second, resilience.StreamLeft)
		a.left(3 * second)
	})
	// At the last event there is nothing to leave.
	m = &model{script: []say{token(second), {0, "event: message_stop\ndata: {}\n\n"}}}
	ask(t, m, budgets(), resilience.Rules[resilience.Event]{}, func(_ *resilience.Stream, n int) bool { return n < 2 }, func(a *answer) {
		a.want(2, nil, second, resilience.StreamComplete)
		a.left(-1)
	})
}

func TestStreamClosed(t *testing.T) {
	m := &model{script: times(3, token(second)), stalls: true}
	each := func(s *resilience.Stream, n int) bool {
		if n == 3 {
			for range 3 { // at once, from anywhere
				time.AfterFunc(2*second, func() { _ = s.Close() })
			}
		}
		return true
	}
	ask(t, m, budgets(), resilience.Rules[resilience.Event]{}, each, func(a *answer) {
		a.want(3, resilience.ErrStreamClosed, 5*second, resilience.StreamCanceled)
		a.left(5 * second)
	})
	each = func(s *resilience.Stream, n int) bool { _ = s.Close(); return true }
	ask(t, &model{script: times(3, token(second)), stalls: true}, budgets(), resilience.Rules[resilience.Event]{}, each, func(a *answer) {
		a.want(1, resilience.ErrStreamClosed, second, resilience.StreamCanceled)
		a.left(second)
	})
}
