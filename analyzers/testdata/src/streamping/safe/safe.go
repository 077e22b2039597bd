// Package safe renews its deadlines for pieces.
package safe

import (
	"bufio"
	"context"
	"io"
	"log"
	"strings"
	"time"
)

const idle = 15 * time.Second

func pieces(r io.Reader, cancel context.CancelFunc, on func(string)) error {
	dog := time.AfterFunc(idle, cancel)
	defer dog.Stop()
	sc := bufio.NewScanner(r)
	for sc.Scan() {
		data, ok := strings.CutPrefix(sc.Text(), "data: ")
		if !ok {
			continue
		}
		dog.Reset(idle)
		on(data)
	}
	return sc.Err()
}

// two has one for the connection, and one for the model.
func two(r io.Reader, cancel context.CancelFunc, on func(string)) error {
	conn := time.AfterFunc(idle, cancel)
	defer conn.Stop()
	model := time.AfterFunc(4*idle, cancel)
	defer model.Stop()
	sc := bufio.NewScanner(r)
	for sc.Scan() {
		conn.Reset(idle)
		if data, ok := strings.CutPrefix(sc.Text(), "data: "); ok {
			model.Reset(4 * idle)
			on(data)
		}
	}
	return sc.Err()
}

// lines is no event stream: every line is a piece.
func lines(r io.Reader, cancel context.CancelFunc, on func(string)) error {
	dog := time.AfterFunc(idle, cancel)
	defer dog.Stop()
	sc := bufio.NewScanner(r)
	for sc.Scan() {
		dog.Reset(idle)
		on(sc.Text())
	}
	return sc.Err()
}

// logs has a timer that ends nothing.
func logs(r io.Reader, on func(string)) error {
	t := time.AfterFunc(idle, func() { log.Print("quiet") })
	defer t.Stop()
	sc := bufio.NewScanner(r)
	for sc.Scan() {
		t.Reset(idle)
		if data, ok := strings.CutPrefix(sc.Text(), "data: "); ok {
			on(data)
		}
	}
	return sc.Err()
}
