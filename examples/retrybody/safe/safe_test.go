package safe_test

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/resiliencevet/resiliencevet/examples/internal/figures"
	"github.com/resiliencevet/resiliencevet/examples/internal/harbour"
	"github.com/resiliencevet/resiliencevet/examples/internal/memhttp"
	"github.com/resiliencevet/resiliencevet/examples/retrybody/safe"
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

// filed files the manifest with an office that is busy so many times: whatever
// the manifest is read from, the next attempt files all of it.
func filed(t *testing.T, manifestFrom io.Reader, busy int) (*harbour.Office, error) {
	t.Helper()
	office := &harbour.Office{Busy: busy}
	hc, stop := memhttp.Serve(office)
	defer stop()

	err := safe.New(hc, "http://harbour.test").File(t.Context(), manifestFrom)

	if err != nil {
		t.Errorf("File = %v; want success", err)
	}
	if got := office.Requests(); got != busy+1 {
		t.Errorf("%d requests, want %d", got, busy+1)
	}
	if got := office.Filed(); len(got) != 1 || got[0] != manifest {
		t.Errorf("filed %q, want the manifest once", got)
	}
	return office, err
}

func unknownReader(t *testing.T, s *figures.Situation) {
	office, err := filed(t, bufio.NewReader(strings.NewReader(manifest)), 1)
	s.Row("names filed", names(office.Filed()))
	s.Row("the ship hears of", err)
}

func stringsReader(t *testing.T, s *figures.Situation) {
	_, err := filed(t, strings.NewReader(manifest), 1)
	s.Row("the ship hears of", err)
}

func file(t *testing.T, s *figures.Situation, f *os.File) {
	t.Helper()
	_, err := filed(t, f, 1)
	s.Row("the ship hears of", err)
}

func notBusy(t *testing.T, s *figures.Situation) {
	office, _ := filed(t, strings.NewReader(manifest), 0)
	s.Row("names filed", names(office.Filed()))
}

// The third attempt is the last, and files all of it, too.
func TestBusyTwice(t *testing.T) {
	for kind, rd := range map[string]io.Reader{
		"a reader of unknown length": bufio.NewReader(strings.NewReader(manifest)),
		"a strings.Reader":           strings.NewReader(manifest),
	} {
		t.Run(kind, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { _, _ = filed(t, rd, 2) })
		})
	}
}

// An office that stays busy is an error after three attempts, not a success.
func TestStaysBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		office := &harbour.Office{Busy: 5}
		hc, stop := memhttp.Serve(office)
		defer stop()

		err := safe.New(hc, "http://harbour.test").File(t.Context(), strings.NewReader(manifest))

		if err == nil || !strings.Contains(err.Error(), "503") {
			t.Errorf("File = %v; want the 503", err)
		}
		if r, f := office.Requests(), office.Filed(); r != 3 || len(f) != 0 {
			t.Errorf("%d requests and %q filed, want 3 and nothing", r, f)
		}
	})
}
