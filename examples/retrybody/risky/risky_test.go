package risky_test

import (
	"bufio"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/resiliencevet/resiliencevet/examples/internal/figures"
	"github.com/resiliencevet/resiliencevet/examples/internal/harbour"
	"github.com/resiliencevet/resiliencevet/examples/internal/memhttp"
	"github.com/resiliencevet/resiliencevet/examples/retrybody/risky"
)

const manifest = "Anna Berg\nJon Dahl\nMei Lin\n"

func TestFigures(t *testing.T) {
	name := filepath.Join(t.TempDir(), "manifest.txt")
	if err := os.WriteFile(name, []byte(manifest), 0o600); err != nil {
		t.Fatal(err)
	}
	table := figures.Open(t)
	table.Try("3 names from a reader of unknown length, the office is busy once", unknownReader)
	table.Try("3 names from a `*strings.Reader`, the office is busy once", stringsReader)
	table.Try("3 names from an `*os.File`, the office is busy once", func(t *testing.T, s *figures.Situation) {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		file(t, s, f)
	})
	table.Try("3 names from a `*strings.Reader`, the office is not busy", notBusy)
}

// names tells how many names have been filed, in whatever manifests.
func names(filed []string) int {
	return strings.Count(strings.Join(filed, ""), "\n")
}

// net/http knows nothing of the reader, so it cannot tell that nothing is left:
// the second attempt files an empty manifest, and the ship hears of success.
func unknownReader(t *testing.T, s *figures.Situation) {
	office := &harbour.Office{Busy: 1}
	hc, stop := memhttp.Serve(office)
	defer stop()

	err := risky.New(hc, "http://harbour.test").File(t.Context(), bufio.NewReader(strings.NewReader(manifest)))

	if err != nil {
		t.Errorf("File = %v; want success", err)
	}
	if got := office.Requests(); got != 2 {
		t.Errorf("%d requests, want 2", got)
	}
	if got := office.Filed(); len(got) != 1 || got[0] != "" {
		t.Errorf("filed %q, want one empty manifest: the example no longer shows the harm", got)
	}
	s.Row("names filed", names(office.Filed()))
	s.Row("the ship hears of", err)
}

// Of a strings.Reader net/http knows the length: the second attempt promises
// bytes that it does not have, and fails before it is sent.
func stringsReader(t *testing.T, s *figures.Situation) {
	office := &harbour.Office{Busy: 1}
	hc, stop := memhttp.Serve(office)
	defer stop()

	err := risky.New(hc, "http://harbour.test").File(t.Context(), strings.NewReader(manifest))

	if err == nil || !strings.Contains(err.Error(), "http: ContentLength=27 with Body length 0") {
		t.Errorf("File = %v; want an error about ContentLength: the example no longer shows the harm", err)
	}
	if r, f := office.Requests(), office.Filed(); r != 1 || len(f) != 0 {
		t.Errorf("%d whole requests and %q filed, want 1 and nothing", r, f)
	}
	s.Row("the ship hears of", err)
}

// A file is closed by net/http when the first attempt is over.
func file(t *testing.T, s *figures.Situation, f *os.File) {
	t.Helper()
	office := &harbour.Office{Busy: 1}
	hc, stop := memhttp.Serve(office)
	defer stop()

	err := risky.New(hc, "http://harbour.test").File(t.Context(), f)

	if !errors.Is(err, os.ErrClosed) {
		t.Errorf("File = %v; want %v", err, os.ErrClosed)
	}
	if got := office.Filed(); len(got) != 0 {
		t.Errorf("filed %q, want nothing", got)
	}
	s.Row("the ship hears of", err)
}

// With an office that is not busy nothing is wrong, which is why it goes unseen.
func notBusy(t *testing.T, s *figures.Situation) {
	office := &harbour.Office{}
	hc, stop := memhttp.Serve(office)
	defer stop()

	err := risky.New(hc, "http://harbour.test").File(t.Context(), strings.NewReader(manifest))

	if got := office.Filed(); err != nil || len(got) != 1 || got[0] != manifest {
		t.Errorf("File = %v, filed %q; want the manifest", err, got)
	}
	s.Row("names filed", names(office.Filed()))
}
