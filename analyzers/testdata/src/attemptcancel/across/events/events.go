// Package events reads server-sent events from whatever it is given.
package events

import (
	"bufio"
	"io"
	"strings"
)

// Reader reads events one by one.
type Reader struct {
	rc io.ReadCloser
	sc *bufio.Scanner
}

// NewReader reads nothing yet.
func NewReader(rc io.ReadCloser) *Reader { return &Reader{rc: rc, sc: bufio.NewScanner(rc)} }

// Next returns the data of the next event, or io.EOF.
func (r *Reader) Next() (string, error) {
	for r.sc.Scan() {
		if data, ok := strings.CutPrefix(r.sc.Text(), "data: "); ok {
			return data, nil
		}
	}
	if err := r.sc.Err(); err != nil {
		return "", err
	}
	return "", io.EOF
}

// Close closes what is read.
func (r *Reader) Close() error { return r.rc.Close() }

// All reads to the end.
func All(rc io.ReadCloser) (all []string, err error) {
	r := NewReader(rc)
	defer r.Close()
	for {
		data, err := r.Next()
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		all = append(all, data)
	}
}
