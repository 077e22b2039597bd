// Command trace prints what it does, in the order in which it does it. The
// rewrites must not change a word of that.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
)

var out io.Writer = os.Stdout

// say prints and hands on, so that an expression shows when it is computed.
func say[T any](v T) T {
	fmt.Fprintf(out, "%v ", v)
	return v
}

func note(format string, args ...any) { fmt.Fprintf(out, format+"\n", args...) }

func sum(a, b int) int { note("sum"); return a + b }

func both(a, b int) (int, error) {
	note("both")
	if a > b {
		return a, errors.New("more")
	}
	return b, nil
}

// box counts.
type box struct{ n, step int }

func (b *box) next() int        { b.n += b.step; return say(b.n) }
func (b box) peek() int         { return say(b.n) }
func (b box) grown() box        { b.n++; return b }
func (b *box) self() *box       { say("self"); return b }
func (b *box) add(n int)        { b.n += n }
func (b *box) pass() func() int { return b.next }

func double(b *box, n int) int { return b.next() + n*2 }
func show(b box, words ...string) string {
	return fmt.Sprint(b.n, words)
}

// holder embeds.
type holder struct {
	box
	name string
}

func (h *holder) title() string { return strings.ToUpper(h.name) + h.kind() }
func (h *holder) kind() string  { return "-holder" }

type titled interface{ title() string }

func arguments() {
	b := &box{step: 1}
	note("-> %d", sum(b.next(), sum(b.next(), b.peek())))
	note("-> %d", sum(say(1), b.self().next())+sum(b.n, say(3)))
	if b.peek() > 2 && b.next() > 2 || b.next() < 0 {
		note("yes %d", b.n)
	}
	if n := b.next(); n > sum(1, 2) {
		note("more %d", n)
	} else if b.next() > 0 {
		note("not reached")
	}
	list := []int{b.next(), b.next(), b.n}
	list[say(0)] = b.next()
	list[1], list[2] = b.next(), b.next()
	note("%v %v", list, map[string]int{"a": b.next(), "b": b.next()}["a"])
	ch := make(chan int, 3)
	ch <- b.next()
	note("%d %d", sum(<-ch, b.next()), b.n)
	switch say(b.n) {
	case b.next(), b.next():
		note("case")
	default:
		note("default %d", b.n)
	}
	note("%s %s", show(*b, "x", say("y")), show(b.grown()))
	yes, n := either(b)
	note("%v %d", yes, n)
}

func either(b *box) (bool, int) {
	return b.n > 99 || b.next() > 0, sum(b.next(), 1)
}

func loops() error {
	b := box{step: 2}
	var err error
	total := 0
	for i := 0; i < 4; i++ {
		var half int
		half, err = both(b.next(), 5)
		total += half
		if err != nil {
			note("stop %d %d", i, total)
			break
		}
		double(&b, half)
	}
	note("%v %d %d", err, total, b.n)
outer:
	for i := range 3 {
		text := strings.Repeat("ab", i)
		count := 0
		for _, r := range text {
			if r == 'b' {
				continue
			}
			count = sum(count, 1)
			if count > 1 {
				break outer
			}
		}
		note("%q %d", text, count)
	}
	n := 0
again:
	n = sum(n, 1)
	if n < 3 {
		goto again
	}
	for i := range 2 {
		got := sum(i, 1)
		grow := func() { got++ }
		grow()
		if got > 9 {
			break
		}
		grow()
		note("got %d", got)
	}
	var made []func() int
	for i := range 3 {
		step := sum(i, 10)
		made = append(made, func() int { step++; return step })
	}
	for _, f := range made {
		note("%d %d", f(), f())
	}
	return err
}

func retry(n int, f func(attempt int) error) (err error) {
	for i := range n {
		if err = f(i); err == nil {
			return nil
		}
		note("attempt %d: %v", i, err)
	}
	return fmt.Errorf("after %d: %w", n, err)
}

func closures() (res string, err error) {
	defer func() { note("leaves with %q %v", res, err) }()
	tries := 0
	err = retry(3, func(attempt int) error {
		tries++
		if tries < 3 {
			return errors.New("not yet")
		}
		return nil
	})
	base := "u"
	got := retry(2, func(attempt int) error {
		n, err := both(attempt, 0)
		if err != nil {
			return err
		}
		return fmt.Errorf("%s%d", base, n)
	})
	base = "v"
	late := func() string { return base + say("late") }
	base = "w"
	note("%v %s %d", got, late(), tries)
	return fmt.Sprint(late()), retry(1, func(int) error { return errors.New(base) })
}

func panics() (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("caught %v", r)
		}
	}()
	defer note("deferred %d", say(7))
	var h *holder
	note("%s", h.title())
	return nil
}

func rescue(h *holder) {
	defer note("out of it")
	defer func() {
		if recover() != nil {
			note("rescued")
		}
	}()
	h.add(1)
}

func kinds() {
	h := &holder{box: box{n: 1, step: 1}, name: "h"}
	h.add(h.next())
	h.box.add(2)
	var t titled = h
	f := h.pass()
	note("%s %d %d %s", t.title(), f(), h.peek(), show(h.box))
	for _, v := range []any{h, 3, "s", errors.New("e")} {
		switch v := v.(type) {
		case titled:
			note("titled %s", v.title())
		case int, string:
			note("basic %v", v)
		case error:
			note("error %v", v)
		}
	}
	text, err := json.Marshal(struct {
		Box  any `json:"box"`
		Name string
	}{setting{Shown: 1, hidden: 2}, h.name})
	note("%s %v %d", text, err, setting{hidden: 4}.hidden)
	var mu sync.Mutex
	var wg sync.WaitGroup
	n := 0
	for range 4 {
		wg.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			n++
		})
	}
	wg.Wait()
	note("%d", n)
}

// setting is written as text.
type setting struct {
	Shown  int
	hidden int
}

func (s setting) sum() int { return s.Shown + s.hidden }

func answers() error {
	failures := 2
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		note("server got %s %q %v", r.Method, body, err)
		if failures > 0 {
			failures--
			w.WriteHeader(http.StatusBadGateway)
		}
		io.WriteString(w, "done")
	}))
	defer server.Close()
	client := server.Client()
	var last *http.Response
	err := retry(3, func(int) error {
		req, err := http.NewRequest(http.MethodPost, server.URL+"/x", strings.NewReader("body"))
		if err != nil {
			return err
		}
		resp, err := client.Do(req)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		last = resp
		if resp.StatusCode != http.StatusOK {
			return errors.New(resp.Status)
		}
		return nil
	})
	note("%d", last.StatusCode)
	for range 2 {
		resp, err := client.Post(server.URL, "text/plain", strings.NewReader("again"))
		if err != nil {
			return err
		}
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		note("%s %v", text, err)
	}
	return err
}

func main() {
	arguments()
	note("%v", loops())
	res, err := closures()
	note("%s %v", res, err)
	note("%v", panics())
	rescue(nil)
	kinds()
	note("%v %d", answers(), setting{1, 2}.sum())
}
