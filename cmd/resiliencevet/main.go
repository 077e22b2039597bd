// Command resiliencevet finds retries, timeouts and streams that make an outage
// worse, on its own or as a vet tool: see `resiliencevet help`.
package main

import (
	"os"

	"github.com/resiliencevet/resiliencevet/analyzers"
	"github.com/resiliencevet/resiliencevet/internal/driver"
)

func main() {
	os.Exit(driver.Main(analyzers.All(), os.Args[1:], os.Stdout, os.Stderr, os.Environ()))
}
