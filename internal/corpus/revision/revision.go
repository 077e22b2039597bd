// Package revision says which linter was measured.
package revision

import (
	"bytes"
	"fmt"
	"os/exec"
	"strings"
)

// Linter names the commit that the working directory, the repository's root, is
// at, with +changes behind it if the linter has been changed since. What only
// measures or describes it may have been changed.
func Linter() (string, error) {
	commit, err := git("rev-parse", "--short=12", "HEAD")
	if err != nil {
		return "", err
	}
	changes, err := git("status", "--porcelain", "--", ".", ":!internal/corpus", ":!internal/bench", ":!docs", ":!examples")
	if err != nil {
		return "", err
	}
	if changes != "" {
		commit += "+changes"
	}
	return commit, nil
}

func git(args ...string) (string, error) {
	var stderr bytes.Buffer
	cmd := exec.Command("git", args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, bytes.TrimSpace(stderr.Bytes()))
	}
	return strings.TrimSpace(string(out)), nil
}
