// Package risky renews its deadlines for every line.
package risky

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"time"
)

const idle = 15 * time.Second

func read(ctx context.Context, url string, on func(string)) error {
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
		dog.Reset(idle) // want `every line renews this deadline, comments, empty lines and pings too`
		line := sc.Text()
		if line == "" || line[0] == ':' {
			continue
		}
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			on(data)
		}
	}
	return sc.Err()
}

// given reads what somebody else opens, and ends it by what it is given.
func given(r io.Reader, cancel context.CancelFunc, on func(string)) error {
	dog := time.AfterFunc(idle, cancel)
	defer dog.Stop()
	br := bufio.NewReader(r)
	for {
		line, err := br.ReadString('\n')
		if err != nil {
			return err
		}
		dog.Reset(idle) // want `every line renews this deadline`
		data, ok := strings.CutPrefix(line, "data:")
		if !ok {
			continue
		}
		on(data)
	}
}

type guarded struct {
	t *time.Timer
}

func (g *guarded) seen() { g.t.Reset(idle) } // want `every line renews this deadline`

// kept renews by a method.
func kept(r io.ReadCloser, on func(string)) error {
	g := &guarded{}
	g.t = time.AfterFunc(idle, func() { r.Close() })
	sc := bufio.NewScanner(r)
	for sc.Scan() {
		g.seen()
		if data, ok := strings.CutPrefix(sc.Text(), "data:"); ok {
			on(data)
		}
	}
	return sc.Err()
}
