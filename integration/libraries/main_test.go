package libraries

import (
	"os"
	"strings"
	"testing"
)

// TestMain takes away what the person who runs the tests has told SDKs by way of
// the environment.
func TestMain(m *testing.M) {
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		for _, sdk := range []string{"AWS_", "AZURE_", "ANTHROPIC_", "OPENAI_", "GOOGLE_", "GEMINI_", "STORAGE_", "OLLAMA_", "CO_"} {
			if strings.HasPrefix(name, sdk) {
				_ = os.Unsetenv(name) // fails for names that Environ does not return
			}
		}
	}
	os.Exit(m.Run())
}
