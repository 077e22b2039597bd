package rule_test

import (
	"strings"
	"testing"

	"github.com/resiliencevet/resiliencevet/internal/policy"
	"github.com/resiliencevet/resiliencevet/internal/rule"
)

func sample() rule.Doc {
	return rule.Doc{
		Name:       "sample",
		Title:      "a sample is | taken",
		What:       strings.Repeat("word ", 30) + "end.\n\nSecond paragraph.",
		Why:        "It costs 3 s.",
		Risky:      "\nfor {\n\tsend()\n}\n",
		Safe:       "send()",
		SilentWhen: []string{"nothing is sent", strings.Repeat("often ", 20) + "sent"},
		Since:      "v0.1.0",
		Severity:   policy.Warning,
		Default:    true,
	}
}

func TestExplain(t *testing.T) {
	t.Parallel()
	got := sample().Explain()
	for _, want := range []string{
		"sample: a sample is | taken\n(on by default, severity warning, since v0.1.0)\n",
		"\nWhat it reports\n  word word",
		"\n\n  Second paragraph.\n",
		"\nRisky\n    for {\n    \tsend()\n    }\n",
		"\n  - nothing is sent\n  - often often",
		"\n    //lint:ignore sample why it is right here\n    //nolint:sample // why it is right here\n",
		"\nhttps://github.com/resiliencevet/resiliencevet/blob/main/docs/rules/sample.md\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	for line := range strings.Lines(got) {
		if len(line) > 81 && !strings.Contains(line, "https:") {
			t.Errorf("a line of %d bytes: %s", len(line), line)
		}
	}
}

func TestPage(t *testing.T) {
	t.Parallel()
	got := sample().Page()
	for _, want := range []string{
		"\n# sample\n\nA sample is | taken.\n\n*On by default, severity warning, since v0.1.0*\n",
		"\n## Risky\n\n```go\nfor {\n\tsend()\n}\n```\n",
		"\n## It is silent when\n\n- nothing is sent\n- often",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	empty := rule.Doc{Name: "empty", Title: "nothing", NoSuppress: true}.Page()
	if strings.Contains(empty, "##") {
		t.Errorf("empty sections in\n%s", empty)
	}
}

func TestIndex(t *testing.T) {
	t.Parallel()
	optional := sample()
	optional.Default = false
	got := rule.Index([]rule.Doc{sample(), optional})
	for _, want := range []string{
		"\n| [sample](sample.md) | a sample is \\| taken | default | warning |\n",
		"\n| [sample](sample.md) | a sample is \\| taken | opt-in | warning |\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

func TestAnalyzerDoc(t *testing.T) {
	t.Parallel()
	got := sample().AnalyzerDoc()
	if !strings.HasPrefix(got, "sample: a sample is | taken\n\nword ") || !strings.Contains(got, "\n  - nothing is sent\n") {
		t.Errorf("got\n%s", got)
	}
}
