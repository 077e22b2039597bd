package safe_test

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/resiliencevet/resiliencevet/examples/internal/harbour"
	"github.com/resiliencevet/resiliencevet/examples/internal/memhttp"
	"github.com/resiliencevet/resiliencevet/examples/retrybody/safe"
)

const manifest = "Anna Berg\nJon Dahl\nMei Lin\n"

// The office is busy twice; whatever the manifest is read from, the third
// attempt files all of it.
func TestWholeManifest(t *testing.T) {
	name := filepath.Join(t.TempDir(), "manifest.txt")
	if err := os.WriteFile(name, []byte(manifest), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for kind, rd := range map[string]io.Reader{
		"a reader of which nothing is known": bufio.NewReader(strings.NewReader(manifest)),
		"a reader of known length":           strings.NewReader(manifest),
		"a file":                             f,
	} {
		t.Run(kind, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				office := &harbour.Office{Busy: 2}
				hc, stop := memhttp.Serve(office)
				defer stop()

				err := safe.New(hc, "http://harbour.test").File(t.Context(), rd)

				if err != nil {
					t.Errorf("File = %v; want success", err)
				}
				if got := office.Requests(); got != 3 {
					t.Errorf("%d requests, want 3", got)
				}
				if got := office.Filed(); len(got) != 1 || got[0] != manifest {
					t.Errorf("filed %q, want the manifest once", got)
				}
			})
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
