package resilience_test

import (
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/resiliencevet/resiliencevet/resilience"
)

// A budget ends a read whatever lies between it and the connection: HTTP/2, a
// body that net/http unpacks, and both. The server hears of it.
func TestStreamWires(t *testing.T) {
	for _, c := range []struct {
		name      string
		h2, zips  bool
		unrelated bool // the request does not have the context of the stream
	}{
		{"HTTP/1.1", false, false, false}, {"HTTP/1.1, gzip", false, true, false}, {"HTTP/2", true, false, false}, {"HTTP/2, gzip", true, true, false},
		{"HTTP/1.1, another context", false, false, true}, {"HTTP/1.1, gzip, another context", false, true, true},
		{"HTTP/2, another context", true, false, true}, {"HTTP/2, gzip, another context", true, true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			left := make(chan bool)
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				var out io.Writer = w
				flush := http.NewResponseController(w).Flush
				if c.zips && r.Header.Get("Accept-Encoding") == "gzip" {
					w.Header().Set("Content-Encoding", "gzip")
					z := gzip.NewWriter(w)
					out, flush = z, func() error { return errors.Join(z.Flush(), http.NewResponseController(w).Flush()) }
				}
				_, _ = io.WriteString(out, "data: tide\n\n")
				_ = flush()
				<-r.Context().Done()
				left <- true
			}))
			server.EnableHTTP2 = c.h2
			server.StartTLS()
			defer server.Close()
			client := server.Client()
			defer client.CloseIdleConnections()
			s, told := open(t, resilience.StreamOptions{FirstToken: time.Minute, Idle: 30 * time.Millisecond, Deadline: time.Minute})
			ctx := s.Context()
			if c.unrelated {
				ctx = t.Context()
			}
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL, nil)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			if resp.Uncompressed != c.zips || (resp.ProtoMajor == 2) != c.h2 {
				t.Fatalf("unpacked %v, %s", resp.Uncompressed, resp.Proto)
			}
			got, err := collect(s.Events(resp.Body, resilience.Rules[resilience.Event]{}))
			if len(got) != 1 || !errors.Is(err, resilience.ErrIdle) || told.End != resilience.StreamIdle {
				t.Errorf("%q, %v, %+v", got, err, told)
			}
			<-left
		})
	}
}
