// Package generics has generic readers, aliases and generic aliases.
package generics

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
)

type client = http.Client

type lines[T any] struct {
	r    *bufio.Reader
	make func([]byte) (T, error)
}

type named[T any] = lines[T]

func (l *lines[T]) each(on func(T)) error {
	for {
		line, err := l.r.ReadBytes('\n') // want `this stream is read with no deadline`
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		v, err := l.make(line)
		if err != nil {
			return err
		}
		on(v)
	}
}

func of[T any](hc *client, url string, on func(T)) error {
	resp, err := hc.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	l := &named[T]{bufio.NewReader(resp.Body), decode[T]}
	return l.each(on)
}

func decode[T any](b []byte) (v T, err error) {
	err = json.Unmarshal(b, &v)
	return v, err
}

type event struct{ Name string }

func Events(hc *client, url string, on func(event)) error { return of(hc, url, on) }
