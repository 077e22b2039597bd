// Package risky takes every end of an answer for its end.
package risky

import (
	"bufio"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strings"
)

func never(url string) ([]string, error) {
	resp, err := http.Get(url)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	var out []string
	sc := bufio.NewScanner(resp.Body)
	for sc.Scan() { // want `the error that ends the stream is dropped: a lost connection, or a line that is too long, ends this loop like the end of the answer, and what has come so far counts as all of it; ask Err after the loop`
		out = append(out, sc.Text())
	}
	return out, nil
}

// helper gets the body from another function.
func helper(url string, on func(string)) error {
	resp, err := http.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	lines(resp.Body, on)
	return nil
}

func lines(r io.Reader, on func(string)) {
	sc := bufio.NewScanner(r)
	for sc.Scan() { // want `ask Err after the loop`
		on(sc.Text())
	}
}

// goroutine tells nobody.
func goroutine(url string) (<-chan string, error) {
	resp, err := http.Get(url)
	if err != nil {
		return nil, err
	}
	out := make(chan string)
	go func() {
		defer close(out)
		defer resp.Body.Close()
		sc := bufio.NewScanner(resp.Body)
		for sc.Scan() { // want `ask Err after the loop`
			out <- sc.Text()
		}
	}()
	return out, nil
}

// every takes every error for the end.
func every(url string) (string, error) {
	resp, err := http.Get(url)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	var b strings.Builder
	r := bufio.NewReader(resp.Body)
	for {
		line, err := r.ReadString('\n') // want `every error of the reading is taken for the end of the answer, a lost connection too, and what has come so far counts as all of it; only io.EOF is the end`
		b.WriteString(line)
		if err != nil {
			break
		}
	}
	return b.String(), nil
}

// cut takes a lost connection for the end.
func cut(url string, on func(any)) error {
	resp, err := http.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	dec := json.NewDecoder(resp.Body)
	for {
		var v any
		err := dec.Decode(&v) // want `every error of the reading is taken for the end`
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return nil
		}
		if err != nil {
			return err
		}
		on(v)
	}
}

// inside asks where there is never an error, of a reader that it is given.
func inside(r io.Reader, out chan<- string) error {
	sc := bufio.NewScanner(r)
	for sc.Scan() { // want `inside the loop Err is always nil: ask it after the loop`
		out <- sc.Text()
		if err := sc.Err(); err != nil {
			slog.Warn("reading", "err", err)
			return err
		}
	}
	return nil
}
