// Command corpus runs the linter on real modules at pinned versions and
// compares what it finds with findings.txt, where each finding has been read
// and judged. docs/results.md tells the same at length.
//
//	go run ./internal/corpus             fetch, run, print the difference; exit 1 if there is one
//	go run ./internal/corpus -update     write what was found into findings.txt, keeping verdicts
//	go run ./internal/corpus slack lego  only modules whose path contains one of the words
//
// It needs a Go module proxy and, cold, the time to compile the modules.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A target is a module and the packages of it that are checked.
type target struct {
	module, version string
	packages        []string // patterns below the module's path; "..." for all
}

// targets are the modules: first those that every change is tried on, then
// clients with retries of their own.
func targets() []target {
	all := []string{"..."}
	root := []string{""}
	return []target{
		{"github.com/tmc/langchaingo", "v0.1.14", all},
		{"github.com/slack-go/slack", "v0.35.0", all},
		{"github.com/go-acme/lego/v5", "v5.6.0", all},
		{"github.com/google/go-containerregistry", "v0.22.1", all},
		{"k8s.io/client-go", "v0.37.2", all},
		{"github.com/cloudflare/cloudflare-go", "v0.119.0", root},
		{"github.com/bwmarrin/discordgo", "v0.29.0", root},
		{"github.com/posthog/posthog-go", "v1.5.2", root},
		{"github.com/rollbar/rollbar-go", "v1.4.5", root},
		{"github.com/prometheus/alertmanager", "v0.35.0", []string{"eventrecorder"}},
		{"github.com/gage-technologies/mistral-go", "v1.1.0", root},
		{"github.com/Azure/go-autorest/autorest", "v0.11.30", root},
		{"github.com/launchdarkly/go-sdk-events/v3", "v3.5.0", root},
		{"github.com/elastic/elastic-transport-go/v8", "v8.11.0", []string{"elastictransport"}},
		{"github.com/minio/minio-go/v7", "v7.4.1", root},
		{"github.com/linode/linodego", "v1.69.1", root},
		{"github.com/digitalocean/godo", "v1.240.0", root},
	}
}

func main() {
	update := flag.Bool("update", false, "write findings.txt instead of comparing with it")
	flag.Parse()
	if err := run(*update, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "corpus:", err)
		os.Exit(1)
	}
}

func run(update bool, words []string) error {
	tmp, err := os.MkdirTemp("", "corpus")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	bin := filepath.Join(tmp, "resiliencevet")
	if out, err := exec.Command("go", "build", "-o", bin, "./cmd/resiliencevet").CombinedOutput(); err != nil {
		return fmt.Errorf("build: %v\n%s", err, out)
	}
	old, err := readVerdicts("internal/corpus/findings.txt")
	if err != nil {
		return err
	}
	var lines []string
	differs := false
	for _, t := range targets() {
		kept := old.of(t)
		if len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool { return strings.Contains(t.module, w) }) {
			lines = append(lines, kept...)
			continue
		}
		found, problems, err := check(bin, filepath.Join(tmp, "m"), t)
		if err != nil {
			return fmt.Errorf("%s@%s: %v", t.module, t.version, err)
		}
		fmt.Printf("%s@%s: %d findings, %d packages not checked\n", t.module, t.version, len(found), problems)
		for _, f := range found {
			line := f + "\t" + old.verdict(f)
			lines = append(lines, line)
			if !slices.Contains(kept, line) {
				fmt.Println("  +", line)
				differs = true
			}
		}
		for _, k := range kept {
			if f, _, _ := strings.Cut(k, "\t"); !slices.Contains(found, f) {
				fmt.Println("  -", k)
				differs = true
			}
		}
	}
	if update {
		return replace("internal/corpus/findings.txt", header+strings.Join(lines, "\n")+"\n")
	}
	if differs {
		return fmt.Errorf("the findings differ from findings.txt; read them, then run with -update and give verdicts")
	}
	return nil
}

// check runs the linter on a module from a scratch module that requires it.
func check(bin, dir string, t target) (found []string, problems int, err error) {
	if err := os.RemoveAll(dir); err != nil {
		return nil, 0, err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, 0, err
	}
	mod := fmt.Sprintf("module scratch\n\ngo 1.26\n\nrequire %s %s\n", t.module, t.version)
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod), 0o666); err != nil {
		return nil, 0, err
	}
	args := []string{"check", "-format=json", "-tests=false"}
	for _, p := range t.packages {
		args = append(args, strings.TrimSuffix(t.module+"/"+p, "/"))
	}
	cmd := exec.Command(bin, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, _ := cmd.Output() // findings and problems make it exit with 1 and 2
	var doc struct {
		Findings []struct {
			Rule, Severity, Message, File string
			Line                          int
		}
		Errors []struct{ Package, Rule, Message string }
	}
	if err := json.Unmarshal(out, &doc); err != nil {
		return nil, 0, fmt.Errorf("%v: %s", err, stderr.String())
	}
	for _, e := range doc.Errors {
		if e.Rule != "" {
			return nil, 0, fmt.Errorf("internal: %s: %s", e.Package, e.Message)
		}
	}
	for _, f := range doc.Findings {
		_, file, _ := strings.Cut(filepath.ToSlash(f.File), "@"+t.version+"/")
		found = append(found, fmt.Sprintf("%s@%s %s:%d %s %s: %s", t.module, t.version, file, f.Line, f.Severity, f.Rule, f.Message))
	}
	return found, len(doc.Errors), nil
}

// verdicts are the lines of findings.txt: a finding, a tab, and a verdict
// (right, arguable or wrong) with its reason.
type verdicts []string

const header = "# What the linter finds in real modules, each finding with a verdict. Written by go run ./internal/corpus -update.\n"

func readVerdicts(file string) (verdicts, error) {
	b, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var v verdicts
	for sc := bufio.NewScanner(bytes.NewReader(b)); sc.Scan(); {
		if line := sc.Text(); line != "" && line[0] != '#' {
			v = append(v, line)
		}
	}
	return v, nil
}

func (v verdicts) of(t target) (out []string) {
	for _, line := range v {
		if strings.HasPrefix(line, t.module+"@"+t.version+" ") {
			out = append(out, line)
		}
	}
	return out
}

// verdict returns the verdict of a finding; one whose message alone has
// changed keeps it.
func (v verdicts) verdict(finding string) string {
	place, _, _ := strings.Cut(finding, ": ")
	for _, line := range v {
		f, verdict, _ := strings.Cut(line, "\t")
		if p, _, _ := strings.Cut(f, ": "); p == place {
			return verdict
		}
	}
	return "unread"
}

// replace writes a file in one step.
func replace(file, text string) error {
	tmp := file + ".new"
	if err := os.WriteFile(tmp, []byte(text), 0o666); err != nil {
		return err
	}
	return os.Rename(tmp, file)
}
