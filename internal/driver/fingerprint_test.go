package driver

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// printsOf writes a file and returns the fingerprints of findings that stand at
// each occurrence of mark, up to the end of the call that follows it.
func printsOf(t *testing.T, text string) []string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "p.go")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	var findings []finding
	for start := 0; ; {
		at := strings.Index(text[start:], "c.Do(")
		if at < 0 {
			break
		}
		from := start + at
		start = from + strings.Index(text[from:], ")") + 1
		findings = append(findings, finding{
			rule: "retrynokey", pkg: "example.com/p",
			at:  placeAt(path, text, from),
			end: placeAt(path, text, start),
		})
	}
	fingerprint(findings)
	var out []string
	for _, f := range findings {
		out = append(out, f.fingerprint)
	}
	return out
}

// placeAt converts an offset to a place.
func placeAt(path, text string, offset int) place {
	before := text[:offset]
	return place{path, 1 + strings.Count(before, "\n"), offset - strings.LastIndex(before, "\n")}
}

const original = `package p

func (s *Shop[T]) Pay(c Client) {
	c.Do(s.order, 1)
	c.Do(s.order, 1)
	c.Do(s.order, 2)
}

var pay = func(c Client) { c.Do(order, 1) }
`

func TestFingerprint(t *testing.T) {
	t.Parallel()
	want := printsOf(t, original)
	if len(want) != 4 {
		t.Fatalf("%d findings", len(want))
	}
	for i, p := range want {
		for _, q := range want[:i] {
			if p == q {
				t.Errorf("two findings have the fingerprint %s", p)
			}
		}
	}
	same := map[string]string{
		"moved":       strings.Replace(original, "package p\n", "package p\n\nimport \"fmt\"\n\n// More.\nfunc more() { fmt.Println() }\n", 1),
		"reformatted": strings.ReplaceAll(original, "c.Do(s.order, 1)", "c.Do(\n\t\ts.order, // the order\n\t\t1,\n\t)"),
		"spaced":      strings.ReplaceAll(original, "s.order, ", "s . order,/* x */  "),
		"line":        strings.Replace(original, "\n\nfunc", "\n\n//line other.go:1000\nfunc", 1),
		"parameter":   strings.ReplaceAll(original, "[T]", "[Item]"),
		"crlf":        strings.ReplaceAll(original, "\n", "\r\n"),
	}
	for name, text := range same {
		got := printsOf(t, text)
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%s: fingerprints changed from %q to %q", name, want, got)
		}
	}
	for name, text := range map[string]string{
		"function": strings.ReplaceAll(original, ") Pay(", ") Buy("),
		"receiver": strings.ReplaceAll(original, "*Shop", "Shop"),
		"code":     strings.ReplaceAll(original, "s.order", "s.bill"),
	} {
		if got := printsOf(t, text); got[0] == want[0] {
			t.Errorf("%s: the fingerprint did not change", name)
		}
	}
}

// TestFingerprintOfNothing is about files that are gone, broken or shorter than
// the positions in them.
func TestFingerprintOfNothing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "p.go")
	if err := os.WriteFile(path, []byte("package p\nfunc {"), 0o666); err != nil {
		t.Fatal(err)
	}
	findings := []finding{
		{rule: "r", at: place{"/nowhere/p.go", 3, 4}},
		{rule: "r", at: place{"/nowhere/p.go", 5, 4}},
		{rule: "r", at: place{path, 2, 6}, end: place{path, 99, 1}},
		{rule: "r", at: place{path, 2, 600}, end: place{path, 2, 601}},
		{rule: "r", at: place{path, 0, 0}},
		{rule: "r"},
	}
	fingerprint(findings)
	seen := map[string]bool{}
	for _, f := range findings {
		if len(f.fingerprint) != 32 || seen[f.fingerprint] {
			t.Errorf("fingerprint %q of %v", f.fingerprint, f.at)
		}
		seen[f.fingerprint] = true
	}
}
