package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// docs/runtime.md shows what the program prints, and docs/streams.svg what it draws.
func TestDocs(t *testing.T) {
	var out bytes.Buffer
	svg := filepath.Join(t.TempDir(), "streams.svg")
	if err := labs(&out, t, svg); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../docs/runtime.md")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(out.String()) {
		if !strings.Contains(string(page), strings.TrimRight(line, " \n")+"\n") {
			t.Errorf("docs/runtime.md does not have the line\n%s", line)
		}
	}
	drawn, err := os.ReadFile(svg)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := os.ReadFile("../../docs/streams.svg")
	if err != nil || !bytes.Equal(drawn, kept) {
		t.Errorf("docs/streams.svg is stale (go run ./examples/lab -svg docs/streams.svg): %v", err)
	}
}
