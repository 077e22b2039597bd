// Package risky reads streams that nothing ends when they stop coming.
package risky

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"strings"
	"time"
)

// events reads an event stream whose pieces stay here.
func events(ctx context.Context, url string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	req.Header.Set("Accept", "text/event-stream")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	var all strings.Builder
	sc := bufio.NewScanner(resp.Body)
	for sc.Scan() { // want `the client has no Timeout, and nothing but the caller's context ends the request`
		all.WriteString(sc.Text())
	}
	return all.String(), sc.Err()
}

// asked asks for a stream in a map, and knows one by nothing else.
func asked(hc *http.Client, url string) error {
	body, err := json.Marshal(map[string]any{"model": "m", "stream": true})
	if err != nil {
		return err
	}
	resp, err := hc.Post(url, "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	r := bufio.NewReader(resp.Body)
	for {
		_, err := r.ReadString('\n') // want `the client's Timeout is not known here, and would cut the stream, and the request's context has no deadline`
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// askedInText does so in a text.
func askedInText(url string) error {
	resp, err := http.Post(url, "application/json", strings.NewReader(`{"model":"m", "stream": true}`))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	dec := json.NewDecoder(resp.Body)
	for {
		var piece struct{ Text string }
		if err := dec.Decode(&piece); err == io.EOF { // want `this stream is read with no deadline`
			return nil
		} else if err != nil {
			return err
		}
	}
}

// channel hands pieces into a channel, from a goroutine.
func channel(url string) (<-chan string, error) {
	resp, err := http.Get(url)
	if err != nil {
		return nil, err
	}
	out := make(chan string)
	go func() {
		defer close(out)
		defer resp.Body.Close()
		sc := bufio.NewScanner(resp.Body)
		for sc.Scan() { // want `this stream is read with no deadline`
			out <- sc.Text()
		}
		if err := sc.Err(); err != nil {
			log.Print(err)
		}
	}()
	return out, nil
}

// selected does so with a select, which does not interrupt the reading.
func selected(ctx context.Context, url string, out chan<- []byte) error {
	resp, err := http.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	r := bufio.NewReader(resp.Body)
	for {
		line, err := r.ReadBytes('\n') // want `this stream is read with no deadline`
		if err != nil {
			return err
		}
		select {
		case out <- line:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// relay hands on what it reads, and flushes it.
func relay(w http.ResponseWriter, url string) {
	resp, err := http.Get(url)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	buf := make([]byte, 4096)
	for {
		n, err := resp.Body.Read(buf) // want `this stream is read with no deadline`
		if n > 0 {
			w.Write(buf[:n])
			w.(http.Flusher).Flush()
		}
		if err != nil {
			return
		}
	}
}

// iterator yields pieces.
func iterator(url string) func(yield func(string, error) bool) {
	return func(yield func(string, error) bool) {
		resp, err := http.Get(url)
		if err != nil {
			yield("", err)
			return
		}
		defer resp.Body.Close()
		sc := bufio.NewScanner(resp.Body)
		for sc.Scan() { // want `this stream is read with no deadline`
			if !yield(sc.Text(), nil) {
				return
			}
		}
		if err := sc.Err(); err != nil {
			yield("", err)
		}
	}
}

// logsOnly has a watchdog that barks.
func logsOnly(url string, on func(string)) error {
	resp, err := http.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	dog := time.AfterFunc(time.Minute, func() { log.Print("stalled") })
	defer dog.Stop()
	sc := bufio.NewScanner(resp.Body)
	for sc.Scan() { // want `this stream is read with no deadline`
		dog.Reset(time.Minute)
		on(sc.Text())
	}
	return sc.Err()
}

// otherContext cancels a context that the request does not carry.
func otherContext(ctx context.Context, url string, on func(string)) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	dog := time.AfterFunc(time.Minute, cancel)
	defer dog.Stop()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	sc := bufio.NewScanner(resp.Body)
	for sc.Scan() { // want `this stream is read with no deadline`
		if inner.Err() != nil {
			return inner.Err()
		}
		dog.Reset(time.Minute)
		on(sc.Text())
	}
	return sc.Err()
}

// onlyHeaders bounds the headers by a timer that it stops.
func onlyHeaders(ctx context.Context, url string, on func(string)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	t := time.AfterFunc(time.Minute, cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	t.Stop()
	defer resp.Body.Close()
	sc := bufio.NewScanner(resp.Body)
	for sc.Scan() { // want `this stream is read with no deadline`
		on(sc.Text())
	}
	return sc.Err()
}

// closesWithCaller only ends with the caller's context.
func closesWithCaller(ctx context.Context, url string, on func(string)) error {
	resp, err := http.Get(url)
	if err != nil {
		return err
	}
	go func() {
		<-ctx.Done()
		resp.Body.Close()
	}()
	sc := bufio.NewScanner(resp.Body)
	for sc.Scan() { // want `this stream is read with no deadline`
		on(sc.Text())
	}
	return sc.Err()
}
