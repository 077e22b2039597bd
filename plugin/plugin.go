// Package plugin makes the rules a linter of golangci-lint v2, as a module plugin.
//
// golangci-lint keeps results by its own settings and its own binary, so everything
// that a user can choose comes from .golangci.yml, and no file of the user's is read.
package plugin

import (
	"fmt"
	"strings"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/resiliencevet/resiliencevet/analyzers"
	"github.com/resiliencevet/resiliencevet/internal/policy"
	"github.com/resiliencevet/resiliencevet/internal/rule"
)

// Name is the linter's name in .golangci.yml.
const Name = "resiliencevet"

func init() { register.Plugin(Name, New) }

// Settings are what stands below linters.settings.custom.resiliencevet.settings.
type Settings struct {
	// Rules are the rules that run, as the command's flag -rules has them: names for
	// only those, "-name" for the default ones without it, "default" and "all".
	Rules []string `json:"rules"`
	// Strict also reports what rests on something unknown.
	Strict bool `json:"strict"`
	// UnsafeMethods counts PUT and DELETE as unsafe to repeat, too.
	UnsafeMethods bool `json:"unsafe-methods"`
}

// New makes the linter from its settings: a map as golangci-lint reads it from YAML,
// or nil. The error names a key that there is not, a value of another type, or a rule
// that nobody has heard of. It is safe for concurrent use.
func New(settings any) (register.LinterPlugin, error) {
	s, err := register.DecodeSettings[Settings](settings)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", Name, err)
	}
	rules, err := analyzers.All().Select(strings.Join(s.Rules, ","))
	if err != nil {
		return nil, fmt.Errorf("%s: settings.rules: %w", Name, err)
	}
	return linter{s, rules}, nil
}

// linter is what golangci-lint is given.
type linter struct {
	settings Settings
	rules    analyzers.Selection
}

// BuildAnalyzers makes the analyzers. Their findings have no related positions:
// golangci-lint would make each of them an issue of its own.
func (l linter) BuildAnalyzers() ([]*analysis.Analyzer, error) {
	return analyzers.New(analyzers.Config{
		Policy: policy.Config{Strict: l.settings.Strict, UnsafeMethods: l.settings.UnsafeMethods},
		Rules:  rule.Options{Enabled: l.rules.Has, WithoutRelated: true},
	}), nil
}

// GetLoadMode says that the rules need types.
func (linter) GetLoadMode() string { return register.LoadModeTypesInfo }
