package resilience

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"time"
	"unicode/utf8"
)

// Event is a server-sent event, as the WHATWG HTML standard defines them
// (section 9.2.6, "Interpreting an event stream").
type Event struct {
	Type  string        // from its event field; "message" without one
	Data  []byte        // its data fields, joined by line feeds; the caller may keep it
	ID    string        // the last id field so far, also of an earlier event
	Retry time.Duration // the last retry field so far: how long to wait before connecting again; 0 without one
}

// parser makes events of what has been read. An event that is not followed by an
// empty line is none, as the standard has it.
type parser struct {
	splitter
	begun bool
	typ   []byte // of the event that is being read
	data  []byte // with a line feed behind every field
	id    string
	retry time.Duration
	types string // the last type that was made a string; most streams have few
}

func newParser(limit int) *parser {
	return &parser{splitter: splitter{crEnds: true, limit: limit}}
}

// next returns the next event, or false when it is not there as a whole.
func (p *parser) next() (Event, bool, error) {
	for {
		line, ok, err := p.line()
		if !ok {
			return Event{}, false, err
		}
		if !p.begun {
			p.begun = true
			line = bytes.TrimPrefix(line, []byte("\xEF\xBB\xBF"))
		}
		if len(line) == 0 {
			if len(p.data) > 0 {
				return p.event(), true, nil
			}
			p.typ = p.typ[:0]
			continue
		}
		if err := p.field(line); err != nil {
			return Event{}, false, err
		}
	}
}

// field takes in one line that is not empty.
func (p *parser) field(line []byte) error {
	name, value := line, []byte(nil)
	if i := bytes.IndexByte(line, ':'); i >= 0 {
		name, value = line[:i], line[i+1:]
		if len(value) > 0 && value[0] == ' ' {
			value = value[1:]
		}
	}
	switch string(name) { // a comment has an empty name
	case "data":
		if len(p.data)+len(value) > p.limit {
			return fmt.Errorf("%w: an event has more than %d bytes of data", ErrTooLong, p.limit)
		}
		p.data = append(append(p.data, value...), '\n')
	case "event":
		p.typ = append(p.typ[:0], value...)
	case "id":
		if bytes.IndexByte(value, 0) < 0 && string(value) != p.id {
			p.id = string(decode(value))
		}
	case "retry":
		if ms, ok := digits(value); ok {
			p.retry = ms
		}
	}
	return nil
}

// event hands over what has been collected.
func (p *parser) event() Event {
	if len(p.typ) == 0 {
		p.typ = append(p.typ, "message"...)
	}
	if string(p.typ) != p.types {
		p.types = string(decode(p.typ))
	}
	data := decode(p.data[:len(p.data)-1])
	ev := Event{Type: p.types, Data: append(make([]byte, 0, len(data)), data...), ID: p.id, Retry: p.retry}
	p.typ, p.data = p.typ[:0], p.data[:0]
	if cap(p.data) > mostBuffer {
		p.data = nil // one large event is no reason to keep so much
	}
	return ev
}

// digits reads a value that is nothing but ASCII digits. What a Duration cannot
// hold is the longest one.
func digits(value []byte) (time.Duration, bool) {
	if len(value) == 0 {
		return 0, false
	}
	for _, c := range value {
		if c < '0' || c > '9' {
			return 0, false
		}
	}
	ms, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil || ms > math.MaxInt64/int64(time.Millisecond) {
		return math.MaxInt64, true
	}
	return time.Duration(ms) * time.Millisecond, true
}

// decode is the decoder of the WHATWG Encoding standard for UTF-8, which puts
// U+FFFD in the place of each part that could not become a character.
func decode(b []byte) []byte {
	if utf8.Valid(b) {
		return b
	}
	var out []byte
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			n = maximal(b)
		}
		out = utf8.AppendRune(out, r)
		b = b[n:]
	}
	return out
}

// maximal returns the length of the longest beginning of b that could have begun
// a character, or 1. b begins with no whole one.
func maximal(b []byte) int {
	low, high, more := byte(0x80), byte(0xBF), 0
	switch c := b[0]; {
	case c >= 0xC2 && c <= 0xDF:
		more = 1
	case c >= 0xE0 && c <= 0xEF:
		more = 2
		if c == 0xE0 {
			low = 0xA0
		} else if c == 0xED {
			high = 0x9F
		}
	case c >= 0xF0 && c <= 0xF4:
		more = 3
		if c == 0xF0 {
			low = 0x90
		} else if c == 0xF4 {
			high = 0x8F
		}
	}
	n := 1
	for n <= more && n < len(b) && b[n] >= low && b[n] <= high {
		n++
		low, high = 0x80, 0xBF
	}
	return n
}
