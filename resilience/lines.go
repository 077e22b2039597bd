package resilience

import (
	"bytes"
	"fmt"
)

const (
	firstBuffer = 4 << 10  // what net/http reads at a time
	mostBuffer  = 32 << 10 // for a line that is no longer than this
)

// splitter finds lines in what has been read. It copies nothing: a line is valid
// until more is read.
type splitter struct {
	buf    []byte
	r, w   int  // buf[r:w] has been read and not handed on
	lf, cr mark // the next line feed and carriage return in it
	crEnds bool // a CR ends a line, as in event streams, and a CR LF ends one, too
	skipLF bool // the last line ended in a CR; an LF that follows belongs to it
	full   bool // the last read used all the room that it had
	limit  int  // longest line, in bytes
}

// mark is what is known of one byte: there is none before at, and found says
// whether there is one at it. So no part of a long line is searched twice.
type mark struct {
	at    int
	found bool
}

func (l *splitter) seek(m *mark, c byte) bool {
	if m.found && m.at >= l.r {
		return true
	}
	from := max(m.at, l.r)
	i := bytes.IndexByte(l.buf[from:l.w], c)
	if m.found = i >= 0; m.found {
		m.at = from + i
	} else {
		m.at = l.w
	}
	return m.found
}

// line returns the next line without its end, or false when it is not there as a
// whole.
func (l *splitter) line() ([]byte, bool, error) {
	line, ok := l.cut()
	if len(line) > l.limit {
		return nil, false, l.tooLong()
	}
	return line, ok, nil
}

func (l *splitter) tooLong() error {
	return fmt.Errorf("%w: a line has more than %d bytes", ErrTooLong, l.limit)
}

func (l *splitter) cut() ([]byte, bool) {
	if l.skipLF && l.r < l.w {
		l.skipLF = false
		if l.buf[l.r] == '\n' {
			l.r++
		}
	}
	lf := l.seek(&l.lf, '\n')
	if !l.crEnds {
		if !lf {
			return nil, false
		}
		line := l.buf[l.r:l.lf.at]
		l.r = l.lf.at + 1
		return bytes.TrimSuffix(line, []byte("\r")), true
	}
	cr := l.seek(&l.cr, '\r')
	switch {
	case cr && (!lf || l.cr.at < l.lf.at):
		line := l.buf[l.r:l.cr.at]
		l.r = l.cr.at + 1
		l.skipLF = true // whether one follows is perhaps not known yet, and the line must not wait for it
		return line, true
	case lf:
		line := l.buf[l.r:l.lf.at]
		l.r = l.lf.at + 1
		return line, true
	}
	return nil, false
}

// rest returns what is left behind the last line end, at the end of a body.
func (l *splitter) rest() ([]byte, error) {
	line := bytes.TrimSuffix(l.buf[l.r:l.w], []byte("\r"))
	l.r = l.w
	if len(line) > l.limit {
		return nil, l.tooLong()
	}
	return line, nil
}

// room returns where the next bytes go. Lines that were handed on are lost.
func (l *splitter) room() ([]byte, error) {
	switch {
	case l.r == l.w:
		l.r, l.w, l.lf, l.cr = 0, 0, mark{}, mark{}
		if len(l.buf) == 0 {
			l.buf = make([]byte, firstBuffer)
		} else if l.full && len(l.buf) < mostBuffer {
			l.buf = make([]byte, 2*len(l.buf))
		}
	case l.w-l.r > l.limit+1: // the CR of a CR LF may be there already
		return nil, l.tooLong()
	case l.r > 0:
		copy(l.buf, l.buf[l.r:l.w])
		l.lf.at, l.cr.at = max(l.lf.at-l.r, 0), max(l.cr.at-l.r, 0)
		l.w -= l.r
		l.r = 0
	}
	if l.w == len(l.buf) {
		l.buf = append(l.buf, make([]byte, len(l.buf))...)
	}
	return l.buf[l.w:], nil
}

// took says that n bytes are where room has said.
func (l *splitter) took(n int) {
	l.full = n == len(l.buf)-l.w
	l.w += n
}
