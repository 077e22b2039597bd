package driver_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestSameFindings compares what go vet and the command find in real packages:
// the examples, and the cases from public reports where they are at hand. Both
// drivers run cold, since nobody has built the program before, and then warm.
func TestSameFindings(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs and runs go vet")
	}
	t.Parallel()
	tool := filepath.Join(t.TempDir(), "resiliencevet"+exe())
	build(t, tool, "./cmd/resiliencevet", newName())

	// The numbers are of findings. A new rule, or a case that the model begins
	// to understand, raises them: see that the findings are right, and write the
	// new number here.
	t.Run("examples", func(t *testing.T) {
		compareDrivers(t, tool, repository(t), nil, []string{"./examples/..."}, 14)
	})
	t.Run("cases", func(t *testing.T) {
		cases := sharedCases(t)
		// A module of its own, so not in the workspace. These are the cases with
		// few dependencies: the others need minutes to compile.
		compareDrivers(t, tool, cases, []string{"GOWORK=off"}, []string{
			"./kit",
			"./P1-checkretry-nil-response/...",
			"./P1-generic-helper-two-packages/...",
			"./P1-resty-retry-count/...",
			"./P1-sdk-doer-options/...",
			"./P1-webhook-closure-var/...",
			"./P3-attempt-number-suffix/...",
			"./P3-request-builder/...",
			"./P3-token-in-retry-closure/...",
			"./P4-nested-helper-packages/...",
			"./P6-sleep-in-loop/...",
			"./P8-roundtripper-defer-cancel/...",
			"./P8-shared-buffer-in-closure/...",
			"./P10-hedged-client-post/...",
			"./P16-retry-inside-client-timeout/...",
			"./P18-create-attach-notify/...",
		}, 12)
	})
}

// sharedCases finds the cases, which are not part of this repository.
func sharedCases(t *testing.T) string {
	t.Helper()
	const variable = "RESILIENCEVET_SHARED"
	shared := os.Getenv(variable)
	given := shared != ""
	if !given {
		shared = filepath.Join(repository(t), "..", "shared")
	}
	cases := filepath.Join(shared, "cases")
	if _, err := os.Stat(filepath.Join(cases, "go.mod")); err != nil {
		if given {
			t.Fatalf("%s is %q: %v", variable, shared, err)
		}
		t.Skipf("the cases are not at %s; %s names the directory that holds them", cases, variable)
	}
	return cases
}

// compareDrivers runs both drivers and wants the same findings, as many as that.
func compareDrivers(t *testing.T, tool, dir string, env, patterns []string, want int) {
	t.Helper()
	env = slices.Concat(os.Environ(), env, []string{"PWD=" + dir, "RESILIENCEVET_CACHE=" + t.TempDir()})
	var first []byte
	for i := range 5 { // the first is cold
		status, out := execute(t, dir, env, tool, append([]string{"-format=json"}, patterns...)...)
		if status != 1 {
			t.Fatalf("run %d of the command: exit status %d, want 1\n%s", i+1, status, out)
		}
		if i == 0 {
			first = out
		} else if !bytes.Equal(out, first) {
			t.Fatalf("run %d of the command differs from the first:\n%s\n--- first\n%s", i+1, out, first)
		}
	}
	found := commandFindings(t, dir, first)
	if len(found) != want {
		t.Errorf("the command has %d findings, want %d:\n%s", len(found), want, strings.Join(found, "\n"))
	}
	for _, cache := range []string{"cold", "warm"} {
		status, out := execute(t, dir, env, "go", append([]string{"vet", "-vettool=" + tool, "-json"}, patterns...)...)
		if status != 0 { // with -json, findings are no failure
			t.Fatalf("go vet, %s: exit status %d\n%s", cache, status, out)
		}
		if vetted := vetFindings(t, out); !slices.Equal(vetted, found) {
			t.Errorf("go vet, %s, finds\n%s\nand the command\n%s", cache, strings.Join(vetted, "\n"), strings.Join(found, "\n"))
		}
	}
}

// execute runs a program and returns its exit status and standard output.
func execute(t *testing.T, dir string, env []string, program string, args ...string) (status int, stdout []byte) {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = dir, env
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Run(); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			t.Fatal(err)
		}
		if status = exit.ExitCode(); status > 1 {
			t.Logf("%s\n%s", cmd, stderr.Bytes())
		}
	}
	return status, out.Bytes()
}

// commandFindings reads the command's report, one line for each finding with
// its further positions.
func commandFindings(t *testing.T, dir string, report []byte) []string {
	t.Helper()
	type position struct {
		Message, File string
		Line, Column  int
	}
	var doc struct {
		Findings []struct {
			position
			Rule    string
			Related []position
		}
	}
	if err := json.Unmarshal(report, &doc); err != nil {
		t.Fatal(err)
	}
	at := func(p position) string {
		file := filepath.FromSlash(p.File)
		if !filepath.IsAbs(file) {
			file = filepath.Join(dir, file)
		}
		return fmt.Sprintf("%s:%d:%d: %s", file, p.Line, p.Column, p.Message)
	}
	lines := map[string]bool{}
	for _, f := range doc.Findings {
		line := at(f.position) + " (" + f.Rule + ")"
		for _, r := range f.Related {
			line += "; " + at(r)
		}
		lines[line] = true
	}
	return slices.Sorted(maps.Keys(lines))
}

// vetFindings reads the objects that go vet prints, one for each package, in the
// same form. A package and its variant for tests may say the same.
func vetFindings(t *testing.T, output []byte) []string {
	t.Helper()
	type position struct{ Posn, Message string }
	lines := map[string]bool{}
	for dec := json.NewDecoder(bytes.NewReader(output)); ; {
		var packages map[string]map[string]json.RawMessage // by package and rule
		if err := dec.Decode(&packages); errors.Is(err, io.EOF) {
			return slices.Sorted(maps.Keys(lines))
		} else if err != nil {
			t.Fatalf("go vet -json: %v\n%s", err, output)
		}
		for pkg, rules := range packages {
			for rule, raw := range rules {
				var diagnostics []struct {
					position
					Related []position
				}
				if err := json.Unmarshal(raw, &diagnostics); err != nil {
					t.Fatalf("%s on %s: %v\n%s", rule, pkg, err, raw)
				}
				for _, d := range diagnostics {
					message, ok := strings.CutSuffix(d.Message, " ("+rule+")")
					if !ok {
						t.Errorf("%s does not end with its rule, %s: %q", d.Posn, rule, d.Message)
					}
					line := d.Posn + ": " + message + " (" + rule + ")"
					for _, r := range d.Related {
						line += "; " + r.Posn + ": " + r.Message
					}
					lines[line] = true
				}
			}
		}
	}
}
