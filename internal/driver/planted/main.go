// Command planted is resiliencevet with further rules that panic, fail and
// report on demand. The end-to-end tests build it; nobody else wants it.
package main

import (
	"os"
	"slices"
	"strings"

	"github.com/resiliencevet/resiliencevet/analyzers"
	"github.com/resiliencevet/resiliencevet/internal/driver"
	"github.com/resiliencevet/resiliencevet/internal/driver/planted/rules"
)

// message is what plantedinfo says. Tests build the program with another one
// (-ldflags "-X main.message=…") to see that a new program is asked anew.
var message = "here it is"

func main() {
	suite := slices.Concat(analyzers.All(), rules.Planted(message))
	slices.SortFunc(suite, func(a, b analyzers.Rule) int { return strings.Compare(a.Doc.Name, b.Doc.Name) })
	os.Exit(driver.Main(suite, os.Args[1:], os.Stdout, os.Stderr, os.Environ()))
}
