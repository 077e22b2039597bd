package resilience

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"
)

// Events reads server-sent events. Without rules
//   - content is every event with data but those of the type "ping",
//   - the last one is "[DONE]", which is not handed over, or one of the type
//     "message_stop", "response.completed" or "response.incomplete",
//   - an error is an event of the type "error" or "response.failed", or one whose
//     data are a JSON object that begins with the key "error".
//
// Those are the forms of OpenAI and Anthropic. Whether an event with data is
// enough to end the first-token budget is for the caller to decide: a model that
// thinks may begin with events that hold no text.
//
// The body is closed in the end, and also while it is read, which those of
// net/http allow. The last pair of the sequence has an [IncompleteError], unless
// all has come.
func (s *Stream) Events(body io.ReadCloser, rules Rules[Event]) iter.Seq2[Event, error] {
	return read(s, &events{from(body), newParser(s.opts.MaxEvent)}, body.Close, nil, rules)
}

// Lines reads lines, which end in LF or CR LF; the last one may end with the
// body. Without rules every line that is not empty is content, and the stream is
// complete at the end of the body. The rest is as for [Stream.Events].
func (s *Stream) Lines(body io.ReadCloser, rules Rules[string]) iter.Seq2[string, error] {
	rules.EOF = rules.EOF || rules.Done == nil
	return read(s, &lines{input: from(body), l: &splitter{limit: s.opts.MaxEvent}}, body.Close, nil, rules)
}

// NDJSON reads one JSON value a line (https://github.com/ndjson/ndjson-spec),
// each into a new T. Empty lines are left out. Without rules every value is
// content, the stream is complete at the end of the body, and an object that
// begins with the key "error" is one. The rest is as for [Stream.Events].
func NDJSON[T any](s *Stream, body io.ReadCloser, rules Rules[T]) iter.Seq2[T, error] {
	rules.EOF = rules.EOF || rules.Done == nil
	return read(s, &values[T]{lines: lines{input: from(body), l: &splitter{limit: s.opts.MaxEvent}}}, body.Close, nil, rules)
}

// Source is a stream of an SDK, such as the ssestream.Stream of OpenAI's and Anthropic's.
type Source[T any] interface {
	Next() bool
	Current() T
	Err() error
	Close() error
}

// Next reads a stream of an SDK, which was opened with [Stream.Context]. Without
// rules everything is content (these SDKs hand over no pings), and the stream is
// complete when Next says false and Err nil. That is also what OpenAI's and
// Anthropic's say of one that was cut off in order, so give them a rule for Done.
//
// Next and Current are called on another goroutine, never beside a call of the
// caller's between two values. The stream is closed in the end.
func Next[T any](s *Stream, src Source[T], rules Rules[T]) iter.Seq2[T, error] {
	rules.EOF = rules.EOF || rules.Done == nil
	recv := func() (T, error) {
		if src.Next() {
			return src.Current(), nil
		}
		var none T
		switch err := src.Err(); err {
		case nil:
			return none, io.EOF
		case io.EOF: // an SDK that has an error has not come to its end
			return none, io.ErrUnexpectedEOF
		default:
			return none, err
		}
	}
	return read(s, &calls[T]{recv: recv}, nil, src.Close, rules)
}

// Recv reads a stream that has a function for the next value, and io.EOF behind
// the last one, such as those of gRPC. It must have been opened with
// [Stream.Context], which is what ends a call of recv. The rest is as for [Next].
func Recv[T any](s *Stream, recv func() (T, error), rules Rules[T]) iter.Seq2[T, error] {
	rules.EOF = rules.EOF || rules.Done == nil
	return read(s, &calls[T]{recv: recv}, nil, nil, rules)
}

// input is a body and what its last read brought.
type input struct {
	body  io.Reader
	into  []byte
	n     int
	err   error
	total int64
	empty int // reads in a row that brought nothing
	spare int // bytes after the end
}

func from(body io.Reader) *input { return &input{body: body} }

func (in *input) step()        { in.n, in.err = in.body.Read(in.into) }
func (in *input) bytes() int64 { return in.total + int64(max(in.n, 0)) }

// collect puts what has been read where lines are found.
func (in *input) collect(l *splitter) {
	if in.into == nil {
		return
	}
	switch {
	case in.n < 0 || in.n > len(in.into):
		in.n, in.err = 0, fmt.Errorf("%T read %d bytes into %d", in.body, in.n, len(in.into))
	case in.n > 0 || in.err != nil:
		in.empty = 0
	default:
		if in.empty++; in.empty == 100 {
			in.err = io.ErrNoProgress
		}
	}
	l.took(in.n)
	in.total += int64(in.n)
	in.n, in.into = 0, nil
}

// more makes room for another read.
func (in *input) more(l *splitter) error {
	if in.err != nil {
		return in.err
	}
	var err error
	in.into, err = l.room()
	return err
}

func (in *input) drained(l *splitter) bool {
	in.collect(l)
	in.spare += l.w - l.r
	l.r = l.w
	return in.err == nil && in.spare < drainMost && in.more(l) == nil
}

// events are those of an event stream.
type events struct {
	*input
	p *parser
}

func (e *events) part() (Event, bool, error) {
	e.collect(&e.p.splitter)
	ev, ok, err := e.p.next()
	if ok || err != nil {
		return ev, ok, err
	}
	return ev, false, e.more(&e.p.splitter)
}

func (e *events) drain() bool             { return e.drained(&e.p.splitter) }
func (e *events) payload(ev Event) []byte { return ev.Data }

func (e *events) meaning(ev Event) meaning {
	switch ev.Type {
	case "ping":
		return meaning{shown: true}
	case "error", "response.failed":
		return meaning{failed: ErrEvent}
	case "message_stop", "response.completed", "response.incomplete":
		return meaning{content: true, done: true, shown: true}
	}
	data := bytes.TrimSpace(ev.Data)
	switch {
	case string(data) == "[DONE]":
		return meaning{done: true}
	case saysError(data):
		return meaning{failed: ErrEvent}
	}
	return meaning{content: len(data) > 0, shown: true}
}

// saysError reports whether a JSON object begins with the key "error", and a
// value that is one.
func saysError(data []byte) bool {
	for _, token := range []string{"{", `"error"`, ":"} {
		rest, ok := bytes.CutPrefix(bytes.TrimLeft(data, " \t\r\n"), []byte(token))
		if !ok {
			return false
		}
		data = rest
	}
	data = bytes.TrimLeft(data, " \t\r\n")
	return !bytes.HasPrefix(data, []byte("null")) && !bytes.HasPrefix(data, []byte("false"))
}

// lines are those of a text.
type lines struct {
	*input
	l    *splitter
	tail bool // the last line did not end before the body did
}

func (l *lines) next() ([]byte, bool, error) {
	l.collect(l.l)
	line, ok, err := l.l.line()
	if ok || err != nil {
		return line, ok, err
	}
	if l.err == io.EOF && l.l.r < l.l.w {
		l.tail = true
		line, err = l.l.rest()
		return line, err == nil, err
	}
	return nil, false, l.more(l.l)
}

func (l *lines) part() (string, bool, error) {
	line, ok, err := l.next()
	return string(line), ok, err
}

func (l *lines) drain() bool                { return l.drained(l.l) }
func (l *lines) payload(line string) []byte { return []byte(line) }
func (l *lines) meaning(line string) meaning {
	return meaning{content: line != "", shown: true}
}

// values are those of lines.
type values[T any] struct {
	lines
	line   []byte // of the value that was handed on last, when it is an error
	failed bool
}

func (v *values[T]) part() (T, bool, error) {
	var value T
	for {
		line, ok, err := v.next()
		if !ok {
			return value, false, err
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		v.line = append(v.line[:0], line...)
		v.failed = saysError(line)
		if err := json.Unmarshal(line, &value); err != nil && !v.failed {
			err = fmt.Errorf("line of %d bytes: %w", len(line), err)
			if v.tail {
				err = fmt.Errorf("%w: %w", ErrTruncated, err)
			}
			return value, false, err
		}
		return value, true, nil
	}
}

func (v *values[T]) payload(T) []byte { return append([]byte(nil), v.line...) }

func (v *values[T]) meaning(T) meaning {
	if v.failed {
		return meaning{failed: ErrEvent}
	}
	return meaning{content: true, shown: true}
}

// calls are those of a function.
type calls[T any] struct {
	recv   func() (T, error)
	value  T
	err    error
	called bool
	spare  int // calls after the end
}

func (c *calls[T]) step() {
	c.value, c.err = c.recv()
	c.called = true
}

func (c *calls[T]) part() (T, bool, error) {
	ok := c.called && c.err == nil
	c.called = false
	return c.value, ok, c.err
}

// drain lets an SDK come to the end of its body: what follows the last value is
// a matter of its own, such as [DONE].
func (c *calls[T]) drain() bool {
	c.spare++
	return c.err == nil && c.spare <= drainCalls
}

func (c *calls[T]) bytes() int64     { return 0 }
func (c *calls[T]) payload(T) []byte { return nil }
func (c *calls[T]) meaning(T) meaning {
	return meaning{content: true, shown: true}
}
