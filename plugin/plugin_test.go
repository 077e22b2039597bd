package plugin

import (
	"strings"
	"testing"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"
)

func TestSettings(t *testing.T) {
	t.Parallel()
	for _, good := range []any{
		nil,
		map[string]any{},
		map[string]any{"strict": true, "unsafe-methods": true, "rules": []any{"default", "-attemptleak"}},
	} {
		if _, err := New(good); err != nil {
			t.Errorf("%v: %v", good, err)
		}
	}
	for text, bad := range map[string]any{
		`unknown field "strikt"`:   map[string]any{"strikt": true},
		"cannot unmarshal string":  map[string]any{"strict": "yes"},
		"did you mean retrynokey?": map[string]any{"rules": []any{"retrynokeys"}},
		"is no rule to choose":     map[string]any{"rules": []any{"suppression"}},
		"cannot unmarshal array":   []any{"strict"},
		"empty rule name":          map[string]any{"rules": []any{"retrynokey", ""}},
	} {
		if _, err := New(bad); err == nil || !strings.Contains(err.Error(), text) || !strings.HasPrefix(err.Error(), "resiliencevet: ") {
			t.Errorf("%v: %v, want %q", bad, err, text)
		}
	}
}

func TestRegistered(t *testing.T) {
	t.Parallel()
	made, err := register.GetPlugin(Name)
	if err != nil {
		t.Fatal(err)
	}
	linter, err := made(nil)
	if err != nil {
		t.Fatal(err)
	}
	list, err := linter.BuildAnalyzers()
	if err != nil {
		t.Fatal(err)
	}
	if err := analysis.Validate(list); err != nil {
		t.Error(err)
	}
	if len(list) < 2 || linter.GetLoadMode() != register.LoadModeTypesInfo {
		t.Errorf("%d analyzers, load mode %q", len(list), linter.GetLoadMode())
	}
}
