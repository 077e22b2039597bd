// Package across reads what another package opens.
package across

import (
	"bufio"
	"io"
	"net/http"
	"time"

	"streamnoidle/across/open"
	"streamnoidle/across/watch"
)

func body(url string, on func(string)) error {
	rc, err := open.Stream(url)
	if err != nil {
		return err
	}
	defer rc.Close()
	sc := bufio.NewScanner(rc)
	for sc.Scan() { // want `the client has no Timeout, and the request's context has no deadline`
		on(sc.Text())
	}
	return sc.Err()
}

func answer(url string, on func(string)) error {
	resp, err := open.Answer(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return lines(resp, on)
}

func lines(resp *http.Response, on func(string)) error { return scan(resp.Body, on) }

func scan(r io.Reader, on func(string)) error {
	sc := bufio.NewScanner(r)
	for sc.Scan() { // want `this stream is read with no deadline`
		on(sc.Text())
	}
	return sc.Err()
}

func watched(url string, on func(string)) error {
	rc, err := open.Stream(url)
	if err != nil {
		return err
	}
	w := watch.New(rc, time.Minute)
	defer w.Close()
	sc := bufio.NewScanner(w)
	for sc.Scan() {
		on(sc.Text())
	}
	return sc.Err()
}
