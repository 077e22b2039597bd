package safe_test

import (
	"context"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/resiliencevet/resiliencevet/examples/inheritedpolicy/safe"
	"github.com/resiliencevet/resiliencevet/examples/internal/figures"
	"github.com/resiliencevet/resiliencevet/examples/internal/memhttp"
)

const words = `{"id":"1","object":"chat.completion","model":"small","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"The ferry is late."}}]}`

// model is a server: it answers, fails, or begins an answer and falls silent.
type model struct {
	requests int
	serve    func(http.ResponseWriter, *http.Request)
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.requests++
	_, _ = io.Copy(io.Discard, r.Body)
	m.serve(w, r)
}

func fails(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }

func answers(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, words)
}

func fallsSilent(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, words[:20])
	_ = http.NewResponseController(w).Flush()
	<-r.Context().Done()
}

func TestFigures(t *testing.T) {
	table := figures.Open(t)
	table.Try("The model fails with a 500", func(t *testing.T, s *figures.Situation) {
		requests, _ := ask(t, fails, true)
		s.Row("requests", requests)
	})
	table.Try("The model begins an answer and falls silent; the caller leaves after an hour", func(t *testing.T, s *figures.Situation) {
		requests, took := ask(t, fallsSilent, true)
		s.Row("requests", requests)
		s.Row("time until the caller knows", took)
	})
	table.Try("The model answers", func(t *testing.T, s *figures.Situation) {
		requests, took := ask(t, answers, false)
		s.Row("requests", requests)
		s.Row("time until the caller knows", took)
	})
}

// ask asks once, and returns how many requests that took, and how long.
func ask(t *testing.T, serve func(http.ResponseWriter, *http.Request), fails bool) (requests int, took time.Duration) {
	t.Helper()
	m := &model{serve: serve}
	hc, stop := memhttp.Serve(m)
	defer stop()
	// The SDK sends through http.DefaultClient where nobody says otherwise.
	was := http.DefaultTransport
	http.DefaultTransport = hc.Transport
	defer func() { http.DefaultTransport = was }()
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	began := time.Now()

	_, err := safe.New("http://model.test/v1/").Words(ctx, "Freya")

	took = time.Since(began)
	if (err != nil) != fails {
		t.Errorf("Words = %v; want an error: %t", err, fails)
	}
	return m.requests, took
}
