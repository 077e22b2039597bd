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
		Runtime:    "`resilience.Transport` takes one.",
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
		"\nWith package resilience\n  `resilience.Transport` takes one.\n",
		"\n  - nothing is sent\n  - often often",
		"\n    //lint:ignore sample why it is right here\n    //nolint:sample // why it is right here\n",
		"\nThe figures of a risky and a safe form, measured side by side:\nhttps://github.com/resiliencevet/resiliencevet/blob/main/docs/rules/sample.md\n",
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
	bare := sample()
	bare.NoExample, bare.Runtime = true, ""
	for _, none := range []string{"figures", "resilience\n"} {
		if got := bare.Explain(); strings.Contains(got, none) {
			t.Errorf("%q in\n%s", none, got)
		}
	}
}

func TestPage(t *testing.T) {
	t.Parallel()
	got := sample().Page([]rule.Figure{
		{Situation: "A slow bank", Measured: "requests", Risky: "3", Safe: "2"},
		{Situation: "A slow bank", Measured: "charges", Risky: "3", Safe: "a|b"},
		{Situation: "A quick bank", Measured: "charges", Risky: "1", Safe: "1"},
	})
	for _, want := range []string{
		"\n# sample\n\nA sample is | taken.\n\n*On by default, severity warning, since v0.1.0*\n",
		"\n## Risky\n\n```go\nfor {\n\tsend()\n}\n```\n",
		"\n| tried | measured | risky | safe |\n|---|---|---|---|\n| A slow bank | requests | 3 | 2 |\n|  | charges | 3 | a\\|b |\n| A quick bank | charges | 1 | 1 |\n\n",
		"\n```console\n$ go test ./examples/sample/...\n```\n",
		"\n## With package resilience\n\n`resilience.Transport` takes one.\n\nMore in [the runtime](../runtime.md).\n",
		"\n## It is silent when\n\n- nothing is sent\n- often",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	empty := rule.Doc{Name: "empty", Title: "nothing", NoSuppress: true}.Page(nil)
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
