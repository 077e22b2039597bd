package stacked

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	// The linter is built and run, which a cached result of this test knows nothing
	// of: it is told by way of the rules. What else the linter is made of requires
	// modules that this one has no use for.
	_ "github.com/resiliencevet/resiliencevet/analyzers"

	"github.com/resiliencevet/resiliencevet/integration/stacked/anthropicretryable"
	"github.com/resiliencevet/resiliencevet/integration/stacked/avastanthropic"
	"github.com/resiliencevet/resiliencevet/integration/stacked/awsretryable"
	"github.com/resiliencevet/resiliencevet/integration/stacked/bedrockbackoff"
	"github.com/resiliencevet/resiliencevet/integration/stacked/firstoutside"
	"github.com/resiliencevet/resiliencevet/integration/stacked/generic"
	"github.com/resiliencevet/resiliencevet/integration/stacked/heimdall"
	"github.com/resiliencevet/resiliencevet/integration/stacked/helper"
	"github.com/resiliencevet/resiliencevet/integration/stacked/iface"
	"github.com/resiliencevet/resiliencevet/integration/stacked/nested"
	"github.com/resiliencevet/resiliencevet/integration/stacked/openai3recursion"
	"github.com/resiliencevet/resiliencevet/integration/stacked/openaifield"
	"github.com/resiliencevet/resiliencevet/integration/stacked/openairetryable"
	"github.com/resiliencevet/resiliencevet/integration/stacked/options"
	"github.com/resiliencevet/resiliencevet/integration/stacked/percall"
	"github.com/resiliencevet/resiliencevet/integration/stacked/readerloop"
	"github.com/resiliencevet/resiliencevet/integration/stacked/recursion"
	"github.com/resiliencevet/resiliencevet/integration/stacked/stripenew"
	"github.com/resiliencevet/resiliencevet/integration/stacked/striperetryable"
	"github.com/resiliencevet/resiliencevet/integration/stacked/transports"
)

var update = flag.Bool("update", false, "rewrite counts.txt")

// forms are the directories, and how the call that each finding is about is made.
func forms() map[string]func(base string) error {
	return map[string]func(string) error{
		"anthropicretryable": anthropicretryable.Call,
		"avastanthropic":     avastanthropic.Call,
		"awsretryable":       awsretryable.Call,
		"bedrockbackoff":     bedrockbackoff.Call,
		"firstoutside":       firstoutside.Call,
		"generic":            generic.Call,
		"heimdall":           heimdall.Call,
		"helper":             helper.Call,
		"iface":              iface.Call,
		"nested":             nested.Call,
		"openai3recursion":   openai3recursion.Call,
		"openaifield":        openaifield.Call,
		"openairetryable":    openairetryable.Call,
		"options":            options.Call,
		"percall":            percall.Call,
		"readerloop":         readerloop.Call,
		"recursion":          recursion.Call,
		"stripenew":          stripenew.Call,
		"striperetryable":    striperetryable.Call,
		"transports":         transports.Call,
	}
}

// A failure is a way in which the server fails.
type failure struct {
	name   string
	answer http.HandlerFunc
}

// failures are those that a message names; both usual ones if it names none, as
// it does about a client that is given to a client. There is no timeout: it takes
// long, and to all layers here it is an error as a lost connection is.
func failures(message string) []failure {
	closed := failure{"closed connection", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }}
	_, after, named := strings.Cut(message, ", after ")
	if !named {
		return []failure{refusal(http.StatusServiceUnavailable), closed}
	}
	var list []failure
	if strings.Contains(after, "5xx response") || strings.Contains(after, "503 response") {
		list = append(list, refusal(http.StatusServiceUnavailable))
	}
	if strings.Contains(after, "429") {
		list = append(list, refusal(http.StatusTooManyRequests))
	}
	if strings.Contains(after, "connection reset") {
		list = append(list, closed)
	}
	return list
}

// refusal answers with a status. The header shortens the waits of the SDKs that
// listen to it, and changes nothing else.
func refusal(status int) failure {
	return failure{strconv.Itoa(status), func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After-Ms", "1")
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, `{"error":{"type":"api_error","message":"not today"}}`)
	}}
}

// TestMain takes away what the person who runs the tests has told SDKs by way of
// the environment.
func TestMain(m *testing.M) {
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		for _, sdk := range []string{"AWS_", "ANTHROPIC_", "OPENAI_", "STRIPE_"} {
			if strings.HasPrefix(name, sdk) {
				_ = os.Unsetenv(name) // fails for names that Environ does not return
			}
		}
	}
	os.Exit(m.Run())
}

// TestCounts wants each number that the linter prints to be what is sent.
func TestCounts(t *testing.T) {
	bin := build(t)
	said, audited := messages(t, bin), audit(t, bin)
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	calls := forms()
	var (
		counting sync.WaitGroup
		mu       sync.Mutex
		rows     []string
	)
	for _, e := range entries {
		form := e.Name()
		if !e.IsDir() {
			continue
		}
		call := calls[form]
		if call == nil {
			t.Errorf("%s: the test does not know how to call it", form)
			continue
		}
		if len(said[form]) != 1 {
			t.Errorf("%s: %d findings, want one: %q", form, len(said[form]), said[form])
			continue
		}
		message := said[form][0]
		product, n, ok := promised(message)
		if !ok {
			t.Errorf("%s: no number of requests: %s", form, message)
			continue
		}
		// The audit tells the same number, or that it does not know.
		switch r := audited[form]; {
		case r.State == "unknown" && r.Why == "", r.State != "unknown" && r.Value != strconv.Itoa(n):
			t.Errorf("%s: the audit says %+v: %s", form, r, message)
		}
		ways := failures(message)
		if len(ways) == 0 {
			t.Errorf("%s: no failure that the server can make: %s", form, message)
		}
		for _, way := range ways {
			// All at once, and not as parallel tests, of which there are only as
			// many as processors: what they do is wait.
			counting.Go(func() {
				counted, err := count(call, way.answer)
				if err == nil {
					t.Errorf("%s, %s: the call succeeded, and the server did not", form, way.name)
				}
				if counted != n {
					t.Errorf("%s, %s: the server received %d requests: %s", form, way.name, counted, message)
				}
				mu.Lock()
				defer mu.Unlock()
				rows = append(rows, fmt.Sprintf("%s\t%s\t%s\t%d\n", form, product, way.name, counted))
			})
		}
	}
	counting.Wait()
	slices.Sort(rows)
	if t.Failed() {
		return // what is not true is not written down
	}
	compare(t, strings.Join(rows, ""))
}

// promised is the product in a message, as it is written and as a number.
func promised(message string) (product string, n int, ok bool) {
	m := regexp.MustCompile(`^up to ([0-9 ×]+ = ([0-9]+)) requests for one call`).FindStringSubmatch(message)
	if m == nil {
		return "", 0, false
	}
	n, err := strconv.Atoi(m[2])
	return m[1], n, err == nil
}

// count is how many requests a server receives that fails every time, and what
// the caller is told in the end.
func count(call func(string) error, answer http.HandlerFunc) (int, error) {
	var received atomic.Int64
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // what was sent of it counts
		received.Add(1)
		answer(w, r)
	}))
	// No connection is used twice: net/http would send some requests again by
	// itself, and they would be counted for the form.
	srv.Config.SetKeepAlivesEnabled(false)
	srv.Start()
	defer srv.Close()
	err := call(srv.URL)
	return int(received.Load()), err
}

// A cell is what an audit says of one property of a call.
type cell struct{ State, Value, Why string }

// audit is how many requests an audit says that the call of each form makes.
func audit(t *testing.T, bin string) map[string]cell {
	t.Helper()
	out, err := exec.Command(bin, "audit", "-format=json", "./...").Output()
	if err != nil {
		t.Fatalf("audit: %v", err)
	}
	var report struct {
		Calls []struct {
			File     string
			Requests cell
		}
	}
	if err := json.Unmarshal(out, &report); err != nil {
		t.Fatal(err)
	}
	requests, unknown := map[string]cell{}, 0
	for _, c := range report.Calls {
		form, _, _ := strings.Cut(filepath.ToSlash(c.File), "/")
		if old, twice := requests[form]; twice {
			t.Errorf("%s: two calls in the audit: %+v and %+v", form, old, c.Requests)
		}
		requests[form] = c.Requests
		if c.Requests.State == "unknown" {
			unknown++
		}
	}
	if unknown > 0 {
		t.Errorf("the audit does not know the number of requests of %d forms: %v", unknown, requests)
	}
	return requests
}

// build builds the linter.
func build(t *testing.T) (bin string) {
	t.Helper()
	bin = filepath.Join(t.TempDir(), "resiliencevet")
	build := exec.Command("go", "build", "-buildvcs=false", "-o", bin, "./cmd/resiliencevet")
	build.Dir = filepath.Join("..", "..") // its module
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return bin
}

// messages are what the linter says about each form.
func messages(t *testing.T, bin string) map[string][]string {
	t.Helper()
	lint := exec.Command(bin, "-format=json", "-rules", "stackedretry", "./...")
	var stderr strings.Builder
	lint.Stderr = &stderr
	out, err := lint.Output()
	// Status 1: there are findings.
	if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	var report struct {
		Findings []struct{ Message, File string }
		Errors   []any
	}
	if err := json.Unmarshal(out, &report); err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	if len(report.Errors) > 0 {
		t.Fatalf("the linter could not look at everything: %v", report.Errors)
	}
	said := make(map[string][]string)
	for _, f := range report.Findings {
		form, _, _ := strings.Cut(filepath.ToSlash(f.File), "/")
		said[form] = append(said[form], f.Message)
	}
	return said
}

// compare holds counts.txt against the table, or makes it so.
func compare(t *testing.T, table string) {
	t.Helper()
	const file = "counts.txt"
	if *update {
		// In one step: who reads it meanwhile sees the old table or the new one.
		if err := os.WriteFile(file+".new", []byte(table), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(file+".new", file); err != nil {
			t.Fatal(err)
		}
		return
	}
	old, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(old) != table {
		t.Errorf("%s says\n%s\nand this was counted:\n%s\nrun go test ./integration/stacked -update", file, old, table)
	}
}
