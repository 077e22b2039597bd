// Package safe reads streams with deadlines that arriving data renews, or what is
// no stream.
package safe

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"time"
)

const idle = 30 * time.Second

// guarded cancels the request.
func guarded(ctx context.Context, url string, on func(string)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	dog := time.AfterFunc(idle, cancel)
	defer dog.Stop()
	sc := bufio.NewScanner(resp.Body)
	for sc.Scan() {
		dog.Reset(idle)
		on(sc.Text())
	}
	return sc.Err()
}

// renewed has a helper renew it.
func renewed(url string, on func(string)) error {
	resp, err := http.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	dog := time.AfterFunc(idle, func() { resp.Body.Close() })
	defer dog.Stop()
	sc := bufio.NewScanner(resp.Body)
	for sc.Scan() {
		again(dog)
		on(sc.Text())
	}
	return sc.Err()
}

func again(t *time.Timer) { t.Reset(idle) }

// timed keeps its timer in a struct.
type timed struct {
	body io.ReadCloser
	t    *time.Timer
}

func (s *timed) expire()  { s.body.Close() }
func (s *timed) renew()   { s.t.Reset(idle) }
func (s *timed) release() { s.t.Stop() }

func inStruct(url string, on func(string)) error {
	resp, err := http.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	s := &timed{body: resp.Body}
	s.t = time.AfterFunc(idle, s.expire)
	defer s.release()
	sc := bufio.NewScanner(resp.Body)
	for sc.Scan() {
		s.renew()
		on(sc.Text())
	}
	return sc.Err()
}

// reader renews a timer with each reading.
type reader struct {
	io.Reader
	t *time.Timer
}

func (r *reader) Read(p []byte) (int, error) {
	r.t.Reset(idle)
	return r.Reader.Read(p)
}

func wrapped(url string, on func(string)) error {
	resp, err := http.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	t := time.AfterFunc(idle, func() { resp.Body.Close() })
	defer t.Stop()
	sc := bufio.NewScanner(&reader{resp.Body, t})
	for sc.Scan() {
		on(sc.Text())
	}
	return sc.Err()
}

// ticker looks from time to time when something came last.
func ticker(ctx context.Context, url string, on func(string)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	var last atomic.Int64
	last.Store(time.Now().UnixNano())
	go func() {
		t := time.NewTicker(time.Second)
		defer t.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-t.C:
				if time.Since(time.Unix(0, last.Load())) > idle {
					cancel()
					return
				}
			}
		}
	}()
	sc := bufio.NewScanner(resp.Body)
	for sc.Scan() {
		last.Store(time.Now().UnixNano())
		on(sc.Text())
	}
	return sc.Err()
}

// waits gives up on a goroutine that reads, and cancels the request.
func waits(ctx context.Context, url string, on func(string)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	lines := make(chan string)
	go func() {
		defer close(lines)
		defer resp.Body.Close()
		sc := bufio.NewScanner(resp.Body)
		for sc.Scan() {
			lines <- sc.Text()
		}
		_ = sc.Err()
	}()
	for {
		select {
		case l, ok := <-lines:
			if !ok {
				return nil
			}
			on(l)
		case <-time.After(idle):
			return errors.New("stalled")
		}
	}
}

// conn sets a deadline for each reading.
type conn struct{ net.Conn }

func (c conn) Read(p []byte) (int, error) {
	c.SetReadDeadline(time.Now().Add(idle))
	return c.Conn.Read(p)
}

func dial(ctx context.Context, network, addr string) (net.Conn, error) {
	c, err := new(net.Dialer).DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	return conn{c}, nil
}

var hc = &http.Client{Transport: &http.Transport{DialContext: dial}}

func deadlines(url string, on func(string)) error {
	resp, err := hc.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	sc := bufio.NewScanner(resp.Body)
	for sc.Scan() {
		on(sc.Text())
	}
	return sc.Err()
}

// guard is somebody else's.
type guard interface {
	Watch(cancel context.CancelFunc)
	Seen()
}

func unknownGuard(ctx context.Context, g guard, url string, on func(string)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	g.Watch(cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	sc := bufio.NewScanner(resp.Body)
	for sc.Scan() {
		g.Seen()
		on(sc.Text())
	}
	return sc.Err()
}

// configured wraps the body only if it is told to: somebody has thought of it.
func configured(url string, limit time.Duration, on func(string)) error {
	resp, err := http.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	var body io.Reader = resp.Body
	if limit > 0 {
		t := time.AfterFunc(limit, func() { resp.Body.Close() })
		defer t.Stop()
		body = &reader{body, t}
	}
	sc := bufio.NewScanner(body)
	for sc.Scan() {
		on(sc.Text())
	}
	return sc.Err()
}

// words reads a document, of which nothing leaves before the end.
func words(url string) ([]string, error) {
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

// one reads one value.
func one(url string, on func(string)) error {
	resp, err := http.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	var v struct{ Names []string }
	if err := json.NewDecoder(resp.Body).Decode(&v); err != nil {
		return err
	}
	for _, n := range v.Names {
		on(n)
	}
	return nil
}

// all reads the whole body first.
func all(url string, on func(string)) error {
	resp, err := http.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	sc := bufio.NewScanner(bytes.NewReader(b))
	for sc.Scan() {
		on(sc.Text())
	}
	return sc.Err()
}

// file and command read no answer.
func file(name string, on func(string)) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		on(strings.TrimPrefix(sc.Text(), "data:"))
	}
	return sc.Err()
}

func command(on func(string)) error {
	cmd := exec.Command("ls")
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	sc := bufio.NewScanner(out)
	for sc.Scan() {
		on(sc.Text())
	}
	return cmd.Wait()
}

// watch may be silent for long.
func watch(url string, on func(string)) error {
	resp, err := http.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	sc := bufio.NewScanner(resp.Body)
	for sc.Scan() {
		on(sc.Text())
	}
	return sc.Err()
}

// bounded has a total timeout, and is a download.
func bounded(url string, on func(string)) error {
	c := &http.Client{Timeout: time.Minute}
	resp, err := c.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	sc := bufio.NewScanner(resp.Body)
	for sc.Scan() {
		on(sc.Text())
	}
	return sc.Err()
}
