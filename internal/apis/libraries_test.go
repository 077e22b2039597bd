package apis_test

import (
	"cmp"
	"regexp"
	"slices"
	"testing"

	"golang.org/x/mod/semver"

	"github.com/resiliencevet/resiliencevet/internal/apis"
)

// TestLibrariesHold holds what is known to its own rules: a table can be made of
// it, it comes sorted, and every policy says where it was read.
func TestLibrariesHold(t *testing.T) {
	libraries := apis.Libraries()
	if _, err := apis.New(libraries...); err != nil {
		t.Fatal(err)
	}
	if len(libraries) == 0 {
		t.Fatal("nothing is known")
	}
	sorted := slices.IsSortedFunc(libraries, func(a, b apis.Library) int {
		return cmp.Or(cmp.Compare(a.Module, b.Module), semver.Compare(a.Since, b.Since))
	})
	if !sorted {
		t.Error("the libraries are not sorted by module and version")
	}
	source := regexp.MustCompile(`^[a-z0-9_/.-]+\.go:\w+$`)
	for _, l := range libraries {
		for _, p := range l.Policies {
			if !source.MatchString(p.Source) {
				t.Errorf("%s: policy %s: source %q is not file.go:function", l.Name, p.Name, p.Source)
			}
			if p.Attempts == 0 && p.Wait != 0 {
				t.Errorf("%s: policy %s: the caller says how often, but not how long to wait", l.Name, p.Name)
			}
			if p.Attempts == 1 && p.After == 0 && (p.Wait != 0 || p.RetryAfter != 0) {
				t.Errorf("%s: policy %s waits, and does not try again", l.Name, p.Name)
			}
		}
	}
}

// TestLibrariesUsePolicies wants no policy that nothing leads to.
func TestLibrariesUsePolicies(t *testing.T) {
	for _, l := range apis.Libraries() {
		for _, p := range l.Policies {
			used := slices.ContainsFunc(l.Symbols, func(s apis.Symbol) bool { return s.Policy == p.Name })
			if !used {
				t.Errorf("%s %s: no symbol names the policy %s", l.Name, l.Read, p.Name)
			}
		}
	}
}

// TestLibrariesAreNew changes what one call returned, and looks at the next.
func TestLibrariesAreNew(t *testing.T) {
	first := apis.Libraries()
	for i := range first {
		clear(first[i].Policies)
		clear(first[i].Symbols)
	}
	for _, l := range apis.Libraries() {
		for _, p := range l.Policies {
			if p.Name == "" {
				t.Fatalf("%s: a caller of Libraries has changed what the next one gets", l.Name)
			}
		}
	}
}

// TestLibrariesByVersion asks the table of all libraries for a few that changed.
func TestLibrariesByVersion(t *testing.T) {
	known, err := apis.New(apis.Libraries()...)
	if err != nil {
		t.Fatal(err)
	}
	const openai, anthropic = "github.com/openai/openai-go/v3", "github.com/anthropics/anthropic-sdk-go/v2"
	for _, test := range []struct {
		pkg, name, version string
		role               apis.Role
		attempts           int
		heard              apis.Heard
	}{
		{openai, "ChatCompletionService.New", "v3.8.1", apis.ModelCall, 3, apis.Deaf},
		{openai, "ChatCompletionService.New", "v3.50.0", apis.ModelCall, 3, apis.Hears},
		{openai, "ChatCompletionService.New", "", apis.ModelCall, 3, apis.Varies},
		{openai, "EmbeddingService.New", "v3.99.0", apis.Call, 3, apis.Hears},
		{openai + "/responses", "ResponseService.NewStreaming", "v3.99.0", apis.ModelStream, 3, apis.Hears},
		{openai + "/option", "WithMaxRetries", "", apis.Attempts, 3, apis.Varies},
		{anthropic, "MessageBatchService.New", "v2.3.0", apis.Call, 3, apis.Hears},
		{"github.com/aws/aws-sdk-go-v2/service/s3", "Client.PutObject", "v1.99.0", apis.Call, 3, apis.Hears},
		{"github.com/aws/aws-sdk-go-v2/service/bedrockruntime", "Client.Converse", "", apis.ModelCall, 3, apis.Hears},
		{"github.com/aws/aws-sdk-go-v2/service/bedrockruntime", "Client.ApplyGuardrail", "", apis.Call, 3, apis.Hears},
	} {
		got, ok := known.Func(test.pkg, test.name, test.version)
		switch {
		case !ok:
			t.Errorf("%s %s in %q is not known", test.pkg, test.name, test.version)
		case got.Symbol.Role != test.role || got.Policy.Attempts != test.attempts || got.Policy.Context != test.heard:
			t.Errorf("%s %s in %q: role %d, %d attempts, heard %d, want %d, %d, %d", test.pkg, test.name, test.version,
				got.Symbol.Role, got.Policy.Attempts, got.Policy.Context, test.role, test.attempts, test.heard)
		}
	}
	// What it does depends on the version, and that is not known.
	if got, ok := known.Func(anthropic, "MessageBatchService.New", ""); ok {
		t.Errorf("MessageBatchService.New of no version has the policy %s", got.Policy.Name)
	}
}
