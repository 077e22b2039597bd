// The command loads what it is told to, and ends.
package main

import (
	"net/http"
	"os"

	"breakerscope/clients"
)

func main() {
	if os.Args[1] == "serve" {
		http.HandleFunc("/", handle)
		http.HandleFunc("/other", func(w http.ResponseWriter, _ *http.Request) {
			c := clients.New(load) // want `made anew`
			_, _ = c.Load("other")
		})
		_ = http.ListenAndServe(":8080", nil)
	}
	c := clients.New(load)
	_, _ = c.Load("ready")
	_ = run(os.Args[1])
	for _, name := range os.Args {
		each(name)
		c := clients.New(load) // want `made anew`
		_, _ = c.Load(name)
	}
}

func load(string) (int, error) { return 0, nil }

// run is called once, since main is.
func run(name string) error {
	_, err := clients.New(load).Load(name)
	return err
}

func each(name string) {
	_, _ = clients.New(load).Load(name) // want `made anew`
}

func handle(http.ResponseWriter, *http.Request) {
	_, _ = clients.New(load).Load("it") // want `made anew`
}
