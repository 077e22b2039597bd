package driver

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/resiliencevet/resiliencevet/analyzers"
	"github.com/resiliencevet/resiliencevet/internal/policy"
)

var updateAudit = flag.Bool("update-audit", false, "rewrite testdata/audit.txt")

// audit runs the command on testdata/audit.
func audit(t *testing.T, cache string, args ...string) (stdout string) {
	t.Helper()
	var out, stderr bytes.Buffer
	env := append(os.Environ(), cacheVariable+"="+cache, "GOFLAGS=", "GOWORK=off")
	all := append([]string{"audit", "-C", filepath.Join("testdata", "audit")}, args...)
	if status := Main(analyzers.All(), all, &out, &stderr, env); status != exitClean {
		t.Fatalf("status %d: %s", status, &stderr)
	}
	return out.String()
}

// TestAudit holds every cell of the calls in testdata/audit against audit.txt, which
// was read beside the code.
func TestAudit(t *testing.T) {
	cache := t.TempDir()
	cold := audit(t, cache, "-details")
	if warm := audit(t, cache, "-details"); warm != cold {
		t.Errorf("the second run says\n%s\nand the first\n%s", warm, cold)
	}
	file := filepath.Join("testdata", "audit.txt")
	if *updateAudit {
		if err := os.WriteFile(file, []byte(cold), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if cold != string(want) {
		t.Errorf("go test ./internal/driver -run TestAudit -update-audit writes\n%s\ninstead of\n%s", cold, want)
	}
}

// TestAuditJSON wants the two formats to say the same.
func TestAuditJSON(t *testing.T) {
	cache := t.TempDir()
	var doc struct {
		Version int
		Calls   []struct {
			File         string
			Line, Column int
			Method       policy.Cell
			Layers       []struct {
				Name, File, After string
				Line, Attempts    int
			}
			Way []string
		}
		Summary struct {
			Calls    int
			Repeated int
			Unknown  map[string]int
		}
		Errors []any
	}
	text := audit(t, cache, "-format=json")
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text, ": null") {
		t.Errorf("a list or object is null:\n%s", text)
	}
	if doc.Version != 1 || doc.Errors == nil || doc.Summary.Calls != len(doc.Calls) || len(doc.Calls) == 0 {
		t.Errorf("version %d, errors %v, %d calls of %d", doc.Version, doc.Errors, len(doc.Calls), doc.Summary.Calls)
	}
	if _, counted := doc.Summary.Unknown["method"]; !counted {
		t.Errorf("the summary counts no unknown methods: %v", doc.Summary.Unknown)
	}
	table := audit(t, cache)
	repeated := 0
	for _, c := range doc.Calls {
		at := place{c.File, c.Line, c.Column}.String()
		if !strings.Contains(table, at+" ") {
			t.Errorf("%s is not in the table", at)
		}
		if c.Method.State == "" || len(c.Way) == 0 {
			t.Errorf("%s: no method, or no way to the send: %+v", at, c)
		}
		if len(c.Layers) > 0 {
			repeated++
		}
		for _, l := range c.Layers {
			if l.Name == "" || l.File == "" || l.Line == 0 || l.Attempts < 2 || l.After == "" {
				t.Errorf("%s: a layer without its name, place, number or failures: %+v", at, l)
			}
		}
	}
	if repeated == 0 || repeated != doc.Summary.Repeated {
		t.Errorf("%d calls have layers, and the summary says %d", repeated, doc.Summary.Repeated)
	}
}
