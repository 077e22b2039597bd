// Package safe asks why an answer has ended.
package safe

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
)

func after(url string) ([]string, error) {
	resp, err := http.Get(url)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	var out []string
	sc := bufio.NewScanner(resp.Body)
	for sc.Scan() {
		out = append(out, sc.Text())
	}
	return out, sc.Err()
}

// helper asks in another function.
func helper(url string, on func(string)) error {
	resp, err := http.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	sc := bufio.NewScanner(resp.Body)
	for sc.Scan() {
		on(sc.Text())
	}
	return finish(sc)
}

func finish(sc *bufio.Scanner) error {
	if err := sc.Err(); err != nil {
		return errors.New("cut: " + err.Error())
	}
	return nil
}

// deferred asks when it returns.
func deferred(url string, on func(string)) (err error) {
	resp, err := http.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	sc := bufio.NewScanner(resp.Body)
	defer func() {
		if err == nil {
			err = sc.Err()
		}
	}()
	for sc.Scan() {
		on(sc.Text())
	}
	return nil
}

// logged and sent tell somebody.
func logged(url string, on func(string)) {
	resp, err := http.Get(url)
	if err != nil {
		return
	}
	defer resp.Body.Close()
	r := bufio.NewReader(resp.Body)
	for {
		line, err := r.ReadString('\n')
		if err == io.EOF {
			return
		}
		if err != nil {
			log.Print(err)
			return
		}
		on(line)
	}
}

type piece struct {
	text string
	err  error
}

func sent(url string, out chan<- piece) error {
	resp, err := http.Get(url)
	if err != nil {
		return err
	}
	go func() {
		defer close(out)
		defer resp.Body.Close()
		sc := bufio.NewScanner(resp.Body)
		for sc.Scan() {
			out <- piece{text: sc.Text()}
		}
		if err := sc.Err(); err != nil {
			out <- piece{err: err}
		}
	}()
	return nil
}

// terminated knows the last event, and returns an error where it is missing.
func terminated(url string, on func(string)) error {
	resp, err := http.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	sc := bufio.NewScanner(resp.Body)
	for sc.Scan() {
		if sc.Text() == "data: [DONE]" {
			return nil
		}
		on(sc.Text())
	}
	return io.ErrUnexpectedEOF
}

// words says so in words.
func words(url string, on, end func(string)) {
	resp, err := http.Get(url)
	if err != nil {
		return
	}
	defer resp.Body.Close()
	sc := bufio.NewScanner(resp.Body)
	for sc.Scan() {
		if sc.Text() == "data: [DONE]" {
			end("complete")
			return
		}
		on(sc.Text())
	}
	end("incomplete")
}

// first wants no more than the first line.
func first(url string) (string, error) {
	resp, err := http.Get(url)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	sc := bufio.NewScanner(resp.Body)
	if sc.Scan() {
		return sc.Text(), nil
	}
	return "", errors.New("no line")
}

// message reads what a failure says, if it can.
func message(resp *http.Response) string {
	var m struct{ Message string }
	_ = json.NewDecoder(resp.Body).Decode(&m)
	return m.Message
}

// file is no answer.
func file(name string) (out []string) {
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		out = append(out, strings.TrimSpace(sc.Text()))
	}
	return out
}

// lines hands the scanner to whoever asks.
type lines struct {
	body io.Closer
	sc   *bufio.Scanner
}

func open(url string) (*lines, error) {
	resp, err := http.Get(url)
	if err != nil {
		return nil, err
	}
	return &lines{resp.Body, bufio.NewScanner(resp.Body)}, nil
}

func (l *lines) Next() bool { return l.sc.Scan() }
func (l *lines) Err() error { return l.sc.Err() }

// kept stores the error.
type kept struct{ err error }

func (k *kept) read(url string, on func(string)) {
	resp, err := http.Get(url)
	if err != nil {
		k.err = err
		return
	}
	defer resp.Body.Close()
	r := bufio.NewReader(resp.Body)
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			if err != io.EOF {
				k.err = err
			}
			return
		}
		on(line)
	}
}
