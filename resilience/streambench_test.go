package resilience_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/resiliencevet/resiliencevet/resilience"
)

// tokens is a stretch of an event stream as OpenAI's API writes it.
func tokens(n int) []byte {
	var b bytes.Buffer
	r := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		fmt.Fprintf(&b, "data: {\"id\":\"chatcmpl-9\",\"object\":\"chat.completion.chunk\",\"created\":1764547200,\"model\":\"pilot-1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\" word%d\"},\"finish_reason\":null}]}\n\n", r.IntN(1000))
		if i%50 == 49 {
			b.WriteString(": keep-alive\n\n")
		}
	}
	return b.Bytes()
}

// endless reads the same stretch again and again, up to so many bytes, and
// piece bytes at a time: at 0 as many as there is room for, at -1 an event.
type endless struct {
	stretch []byte
	at      int
	left    int64
	piece   int
}

func (e *endless) Read(p []byte) (int, error) {
	if e.left <= 0 {
		return 0, io.EOF
	}
	if e.at == len(e.stretch) {
		e.at = 0
	}
	rest := e.stretch[e.at:]
	switch {
	case e.piece > 0:
		rest = rest[:min(len(rest), e.piece)]
	case e.piece < 0:
		rest = rest[:bytes.Index(rest, []byte("\n\n"))+2]
	}
	n := copy(p, rest)
	e.at += n
	e.left -= int64(n)
	return n, nil
}

func (e *endless) Close() error { return nil }

// hours are budgets that do not expire.
var hours = resilience.StreamOptions{FirstToken: time.Hour, Idle: time.Hour, Deadline: time.Hour}

// A gigabyte goes through a Stream, and what is in memory stays as it is.
func TestGigabyte(t *testing.T) {
	size := int64(1 << 30)
	if testing.Short() {
		size = 64 << 20
	}
	var told resilience.Measurement
	o := hours
	o.OnEnd = func(_ context.Context, m resilience.Measurement) { told = m }
	s, err := resilience.NewStream(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	stretch := tokens(1000)
	var m runtime.MemStats
	var first, most uint64
	events := 0
	for _, err := range s.Events(&endless{stretch: stretch, left: size}, resilience.Rules[resilience.Event]{EOF: true}) {
		if err != nil {
			t.Fatal(err)
		}
		if events++; events%200_000 == 0 {
			runtime.GC()
			runtime.ReadMemStats(&m)
			if first == 0 {
				first = m.HeapAlloc
			}
			most = max(most, m.HeapAlloc)
		}
	}
	if want := int(size / int64(len(stretch)) * 1000); events < want || told.Bytes < size || told.End != resilience.StreamComplete {
		t.Errorf("%d events of %d, %+v", events, want, told)
	}
	t.Logf("%d events, %d bytes; %d kB in use at first, %d kB at most", events, told.Bytes, first>>10, most>>10)
	if most > first+(1<<20) {
		t.Errorf("%d bytes in use after a while, %d at first", most, first)
	}
}

// BenchmarkParse is the parser alone, in bytes a second and in time an event.
func BenchmarkParse(b *testing.B) {
	stretch := tokens(1000)
	b.ReportAllocs()
	began := cpuTime()
	for b.Loop() {
		parse(b, stretch, 0)
	}
	report(b, cpuTime()-began, len(stretch))
}

func parse(b *testing.B, stretch []byte, piece int) {
	if n, err := resilience.Parse(&endless{stretch: stretch, left: int64(len(stretch)), piece: piece}); n != 1000 || err != nil {
		b.Fatal(n, err)
	}
}

// report goes by processor time, which other programs on the machine hardly change.
func report(b *testing.B, took time.Duration, bytes int) (perEvent float64) {
	perEvent = float64(took.Nanoseconds()) / float64(b.N) / 1000
	b.ReportMetric(perEvent, "cpu-ns/event")
	b.ReportMetric(float64(bytes)*float64(b.N)/took.Seconds()/1e6, "MB/cpu-s")
	return perEvent
}

// BenchmarkStream is what a Stream adds to that, an event: read by the buffers of
// net/http, as much at once as there is room for, and with a read for each event,
// where most of it is the way to the goroutine that reads and back.
func BenchmarkStream(b *testing.B) {
	stretch := tokens(1000)
	for _, c := range []struct {
		name  string
		piece int
	}{{"4 kB a read", 4 << 10}, {"all there is room for", 0}, {"an event a read", -1}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			began := cpuTime()
			for b.Loop() {
				s, err := resilience.NewStream(b.Context(), hours)
				if err != nil {
					b.Fatal(err)
				}
				n := 0
				for _, err := range s.Events(&endless{stretch: stretch, left: int64(len(stretch)), piece: c.piece}, resilience.Rules[resilience.Event]{EOF: true}) {
					if err != nil {
						b.Fatal(err)
					}
					n++
				}
				_ = s.Close()
				if n != 1000 {
					b.Fatal(n)
				}
			}
			per := report(b, cpuTime()-began, len(stretch))
			began = cpuTime()
			for range b.N {
				parse(b, stretch, c.piece)
			}
			b.ReportMetric(per-float64((cpuTime()-began).Nanoseconds())/float64(b.N)/1000, "added-cpu-ns/event")
		})
	}
}

// BenchmarkStreamNext is a call of an SDK's, which does nothing here.
func BenchmarkStreamNext(b *testing.B) {
	s, err := resilience.NewStream(b.Context(), hours)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	began, n := cpuTime(), 0
	for _, err := range resilience.Recv(s, func() (int, error) {
		if n++; n > b.N {
			return 0, io.EOF
		}
		return n, nil
	}, resilience.Rules[int]{}) {
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64((cpuTime()-began).Nanoseconds())/float64(b.N), "cpu-ns/op")
}

// Every budget fires within ten milliseconds on a real clock. A machine that is
// busy makes timers late that are none of ours: each budget has several tries,
// the fastest counts, and what it took is logged. A budget that is early, at any
// try, is wrong.
func TestBudgetsOnARealClock(t *testing.T) {
	const budget, late, tries = 60 * time.Millisecond, 10 * time.Millisecond, 40
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rc := http.NewResponseController(w)
		w.Header().Set("Content-Type", "text/event-stream")
		_ = rc.Flush()
		for n := 0; ; n++ {
			text := ": ping\n\n"
			if r.URL.Path == "/trickle" || r.URL.Path == "/stall" && n == 0 {
				text = "data: tide\n\n"
			}
			if _, err := io.WriteString(w, text); err != nil || rc.Flush() != nil {
				return
			}
			select {
			case <-time.After(7 * time.Millisecond):
			case <-r.Context().Done():
				return
			}
		}
	}))
	defer server.Close()
	defer server.Client().CloseIdleConnections()
	long := time.Minute
	for _, c := range []struct {
		path string
		o    resilience.StreamOptions
		want error
	}{
		{"/silent", resilience.StreamOptions{FirstToken: budget, Idle: long, Deadline: long}, resilience.ErrFirstToken},
		{"/stall", resilience.StreamOptions{FirstToken: long, Idle: budget, Deadline: long}, resilience.ErrIdle},
		{"/trickle", resilience.StreamOptions{FirstToken: budget, Idle: budget, Deadline: budget}, resilience.ErrDeadline},
	} {
		best := time.Hour
		for n := 0; n < tries && (n < 3 || best > late); n++ {
			var began time.Time // of the budget
			err := func() error {
				began = time.Now()
				s, err := resilience.NewStream(context.Background(), c.o)
				if err != nil {
					return err
				}
				defer s.Close()
				req, err := http.NewRequestWithContext(s.Context(), http.MethodGet, server.URL+c.path, nil)
				if err != nil {
					return err
				}
				resp, err := server.Client().Do(req)
				if err != nil {
					return err
				}
				for _, err := range s.Events(resp.Body, resilience.Rules[resilience.Event]{}) {
					if err != nil {
						return err
					}
				}
				return nil
			}()
			if c.want == resilience.ErrIdle {
				if ie, ok := errors.AsType[*resilience.IncompleteError](err); ok {
					began = began.Add(ie.LastContent)
				}
			}
			took := time.Since(began)
			if took < budget {
				t.Fatalf("%s: %v after %v; want %v after %v", c.path, err, took, c.want, budget)
			}
			if errors.Is(err, c.want) { // else the server was late, too
				best = min(best, took-budget)
			}
		}
		t.Logf("%s: %v late", strings.TrimPrefix(c.path, "/"), best)
		if best > late {
			t.Errorf("%s: late by %v at best, want at most %v", c.path, best, late)
		}
	}
}
