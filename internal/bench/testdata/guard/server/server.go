// Package server answers requests in loops and sends none.
package server

import (
	"encoding/json"
	"net/http"
)

// Server serves.
type Server struct {
	handlers map[string]func(http.ResponseWriter, *http.Request) error
	log      func(string)
}

// ServeHTTP serves.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for prefix, h := range s.handlers {
		if prefix == r.URL.Path {
			if err := h(w, r); err != nil {
				s.fail(w, err)
			}
			return
		}
	}
	http.NotFound(w, r)
}

func (s *Server) fail(w http.ResponseWriter, err error) {
	s.log(err.Error())
	http.Error(w, err.Error(), http.StatusInternalServerError)
}

// List writes a list.
func List(w http.ResponseWriter, values []string) error {
	enc := json.NewEncoder(w)
	for _, v := range values {
		if err := enc.Encode(v); err != nil {
			return err
		}
	}
	return nil
}

// Wrap wraps.
func Wrap(h http.Handler, around ...func(http.Handler) http.Handler) http.Handler {
	for _, f := range around {
		h = f(h)
	}
	return h
}
