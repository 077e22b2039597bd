package driver_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// shown matches an output in a page: the marker, and the block below it.
var shown = regexp.MustCompile("(?s)(<!-- output of: resiliencevet ([^\n]*?) -->\n```text\n)(.*?)(```\n)")

// TestWhyPage compares the outputs in docs/why.md and docs/audit.md with what the
// program prints. With -update, it writes them.
func TestWhyPage(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs the program")
	}
	t.Parallel()
	root := repository(t)
	tool := filepath.Join(t.TempDir(), "resiliencevet"+exe())
	build(t, tool, "./cmd/resiliencevet", "")
	env := append(os.Environ(), "PWD="+root, "RESILIENCEVET_CACHE="+t.TempDir())

	for _, name := range []string{"why.md", "audit.md"} {
		comparePage(t, root, tool, env, filepath.Join(root, "docs", name))
	}
}

// comparePage compares the outputs in one page.
func comparePage(t *testing.T, root, tool string, env []string, page string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	updated := shown.ReplaceAllStringFunc(string(text), func(block string) string {
		count++
		m := shown.FindStringSubmatch(block)
		status, out := execute(t, root, env, tool, strings.Fields(m[2])...)
		if status != 0 {
			t.Errorf("%s: exit status %d", m[2], status)
			return block
		}
		if m[3] != string(out) && !*update {
			t.Errorf("%s: the page has\n%s\nbut the program prints\n%s\nIf that is right, run go test ./internal/driver -run TestWhyPage -update", m[2], m[3], out)
		}
		return m[1] + string(out) + m[4]
	})
	if count == 0 {
		t.Errorf("%s shows no output", page)
	}
	if *update && updated != string(text) {
		if err := os.WriteFile(page, []byte(updated), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
