package resilience_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/resiliencevet/resiliencevet/resilience"
	"github.com/resiliencevet/resiliencevet/resilience/internal/memhttp"
)

func TestStreamOptions(t *testing.T) {
	for _, c := range []struct {
		change func(*resilience.StreamOptions)
		want   string // "" is valid
	}{
		{func(*resilience.StreamOptions) {}, ""},
		{func(o *resilience.StreamOptions) { o.FirstToken = 0 }, "FirstToken is 0s, want at least 1ms"},
		{func(o *resilience.StreamOptions) { o.Idle = 15 }, "Idle is 15ns, want at least 1ms"},
		{func(o *resilience.StreamOptions) { o.Deadline = -1 }, "Deadline is -1ns"},
		{func(o *resilience.StreamOptions) { o.Deadline = 20 * second }, "StreamOptions.FirstToken 30s is above Deadline 20s: it would never expire"},
		{func(o *resilience.StreamOptions) { o.Idle = 400 * second }, "Idle 6m40s is above Deadline 5m0s"},
		{func(o *resilience.StreamOptions) { o.Deadline = 0 }, "the context has no deadline"},
		{func(o *resilience.StreamOptions) { o.MaxEvent = -1 }, "MaxEvent is -1"},
	} {
		o := budgets()
		c.change(&o)
		s, err := resilience.NewStream(t.Context(), o)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", o, err, c.want)
		}
		if s != nil {
			_ = s.Close()
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), second)
	defer cancel()
	o := budgets()
	o.Deadline = 0
	s, err := resilience.NewStream(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil || s.Context().Err() == nil {
		t.Errorf("Close: %v, and the context is at %v", err, s.Context().Err())
	}
}

// A budget that expires in a Transport is the error of the call, and nothing is
// sent again.
func TestStreamOverTransport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{header: 600 * second, gone: make(chan time.Duration, 1), began: time.Now()}
		server := memhttp.Serve(m)
		defer server.Stop()
		o := quick()
		o.AttemptTimeout, o.TotalTimeout = 50*second, 200*second
		tr, err := resilience.NewTransport(server.Transport, o)
		if err != nil {
			t.Fatal(err)
		}
		s, err := resilience.NewStream(resilience.WithIdempotencyKey(t.Context(), "k-1"), budgets())
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		_, err = converse(s, tr, resilience.Rules[resilience.Event]{}, nil)
		ce, ok := errors.AsType[*resilience.CallError](err)
		if !ok || ce.Attempts != 1 || ce.Stop != resilience.StopCanceled || !errors.Is(err, resilience.ErrFirstToken) || time.Since(m.began) != 30*second {
			t.Errorf("%v after %v", err, time.Since(m.began))
		}
		if at := <-m.gone; at != 30*second {
			t.Errorf("the server was left at %v", at)
		}
	})
}

func ExampleStream() {
	body := io.NopCloser(strings.NewReader("data: {\"text\":\"High tide \"}\n\n: ping\n\ndata: {\"text\":\"at six.\"}\n\ndata: [DONE]\n\n"))

	s, err := resilience.NewStream(context.Background(), resilience.StreamOptions{
		FirstToken: 30 * time.Second, // with the request, and what the model thinks
		Idle:       15 * time.Second, // between two pieces of text
		Deadline:   5 * time.Minute,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	// The request is made with s.Context(); body is that of its response.
	for event, err := range s.Events(body, resilience.Rules[resilience.Event]{}) {
		if err != nil {
			fmt.Println("cut off:", err)
			return
		}
		fmt.Println(string(event.Data))
	}
	// Output:
	// {"text":"High tide "}
	// {"text":"at six."}
}
