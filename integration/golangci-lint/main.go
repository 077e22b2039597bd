// Command golangci-lint is golangci-lint v2 with resiliencevet's rules linked in, for
// those who cannot or do not want to run `golangci-lint custom`, which clones a
// repository with git.
//
// golangci-lint is under the GNU General Public License, version 3, and so is a binary
// of this command. That is why it is a module of its own: nothing else in this
// repository imports it.
package main

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"github.com/golangci/golangci-lint/v2/pkg/commands"
	"github.com/golangci/golangci-lint/v2/pkg/exitcodes"

	_ "github.com/resiliencevet/resiliencevet/plugin"
)

// The modules that the version names.
const (
	lintModule = "github.com/golangci/golangci-lint/v2"
	ruleModule = "github.com/resiliencevet/resiliencevet"
)

func main() {
	info, err := buildInfo()
	if err == nil {
		err = commands.Execute(info)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "The command is terminated due to an error: %v\n", err)
		os.Exit(exitcodes.Failure)
	}
}

// buildInfo is what golangci-lint is told of its binary. Its cache is salted with the
// version, which has to be another for every change of the rules.
func buildInfo() (commands.BuildInfo, error) {
	info := commands.BuildInfo{GoVersion: "unknown", Version: "unknown", Commit: "?"}
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return info, nil
	}
	info.GoVersion = build.GoVersion
	rules := ""
	for _, m := range build.Deps {
		switch m.Path {
		case lintModule:
			info.Version = strings.TrimPrefix(m.Version, "v")
		case ruleModule:
			if m.Replace == nil {
				rules = m.Version
			}
		}
	}
	if rules == "" { // built in a clone
		sum, err := hashProgram()
		if err != nil {
			return info, err
		}
		rules = sum
	}
	info.Version += "+resiliencevet." + strings.TrimPrefix(rules, "v")
	return info, nil
}

// hashProgram returns the beginning of the hash of the running program's file.
func hashProgram() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:6]), nil
}
