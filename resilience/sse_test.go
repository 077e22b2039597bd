package resilience

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf8"
)

// all parses what r reads, to its end.
func all(r io.Reader, limit int) (got []Event, err error) {
	e := &events{from(r), newParser(limit)}
	for {
		ev, ok, err := e.part()
		switch {
		case ok:
			got = append(got, ev)
		case err == io.EOF:
			return got, nil
		case err != nil:
			return got, err
		default:
			e.step()
		}
	}
}

// message is an event with nothing but data.
func message(data string) Event { return Event{Type: "message", Data: []byte(data)} }

// What the standard's text and the public conformance tests for EventSource ask
// of a parser, in cases of our own.
func TestEventStream(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     []Event
	}{
		{"one line", "data: berth 7\n\n", []Event{message("berth 7")}},
		{"several data fields", "data: a\ndata: b\ndata: c\n\n", []Event{message("a\nb\nc")}},
		{"only the first space goes", "data:  two\n\ndata:none\n\ndata:\ttab\n\n", []Event{message(" two"), message("none"), message("\ttab")}},
		{"LF, CR and CR LF", "data: a\n\ndata: b\r\rdata: c\r\n\r\n", []Event{message("a"), message("b"), message("c")}},
		{"mixed ends", "data: a\r\ndata: b\r\n\ndata: c\n\r", []Event{message("a\nb"), message("c")}},
		{"CR LF between is one end", "data: a\r\n\r\ndata: b\r\n\r\n", []Event{message("a"), message("b")}},
		{"LF CR is two ends", "data: a\n\rdata: b\n\r", []Event{message("a"), message("b")}},
		{"BOM", "\uFEFFdata: a\n\n", []Event{message("a")}},
		{"only the first BOM goes", "\uFEFF\uFEFFdata: a\n\ndata: b\n\n", []Event{message("b")}},
		{"BOM in the middle", "data: a\n\n\uFEFFdata: b\n\n", []Event{message("a")}},
		{"comments", ": ping\n:\n:data: no\ndata: a\n: in between\ndata: b\n\n", []Event{message("a\nb")}},
		{"only comments", ": ping\n\n: ping\n\n", nil},
		{"empty data", "data\n\n", []Event{message("")}},
		{"empty data, with a colon", "data:\n\ndata: \n\n", []Event{message(""), message("")}},
		{"two empty data fields", "data\ndata\n\n", []Event{message("\n")}},
		{"data that end in an empty field", "data: a\ndata\n\n", []Event{message("a\n")}},
		{"no data is no event", "event: ping\n\nid: 3\n\nretry: 1\n\n", nil},
		{"the type does not stay", "event: add\ndata: 1\n\ndata: 2\n\n", []Event{{Type: "add", Data: []byte("1")}, message("2")}},
		{"nor that of an event without data", "event: add\n\ndata: 2\n\n", []Event{message("2")}},
		{"the last type counts", "event: a\nevent: b\ndata: 1\n\n", []Event{{Type: "b", Data: []byte("1")}}},
		{"an empty type is a message", "event: a\nevent:\ndata: 1\n\n", []Event{message("1")}},
		{"the id stays", "id: 7\ndata: a\n\ndata: b\n\nid\ndata: c\n\n", []Event{
			{Type: "message", Data: []byte("a"), ID: "7"}, {Type: "message", Data: []byte("b"), ID: "7"}, message("c")}},
		{"the id of an event without data stays", "id: 7\n\ndata: a\n\n", []Event{{Type: "message", Data: []byte("a"), ID: "7"}}},
		{"an id with NUL is left out", "id: 7\nid: 8\x009\ndata: a\n\n", []Event{{Type: "message", Data: []byte("a"), ID: "7"}}},
		{"retry", "retry: 1500\ndata: a\n\n", []Event{{Type: "message", Data: []byte("a"), Retry: 1500 * time.Millisecond}}},
		{"retry that is no number", "retry: 1000\nretry: 2s\nretry: -1\nretry: +1\nretry\nretry: 1 \nretry: ٣\ndata: a\n\n", []Event{{Type: "message", Data: []byte("a"), Retry: time.Second}}},
		{"retry that is too long", "retry: 99999999999999999999\ndata: a\n\n", []Event{{Type: "message", Data: []byte("a"), Retry: math.MaxInt64}}},
		{"leading zeros", "retry: 0005\ndata: a\n\n", []Event{{Type: "message", Data: []byte("a"), Retry: 5 * time.Millisecond}}},
		{"unknown fields", "date: a\nDATA: b\n data: c\ndata : d\ndatab: e\ndata: f\n\n", []Event{message("f")}},
		{"colons in the value", "data: a: b\ndata:: c\n\n", []Event{message("a: b\n: c")}},
		{"NUL in data", "data: a\x00b\n\n", []Event{message("a\x00b")}},
		{"an event that is not ended is none", "data: a\n\ndata: b\n", []Event{message("a")}},
		{"nor one that ends with the body", "data: a", nil},
		{"many empty lines", "\n\r\n\r\n\n\ndata: a\n\n\n\n\n", []Event{message("a")}},
		{"not UTF-8", "data: \xC3\x28 \xE2\x82 \xF0\x9F\x98 \xED\xA0\x80 \xFF\n\n", []Event{message("\uFFFD( \uFFFD \uFFFD \uFFFD\uFFFD\uFFFD \uFFFD")}},
		{"U+FFFD itself", "data: \uFFFD\n\n", []Event{message("\uFFFD")}},
		{"empty", "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			for how, r := range map[string]io.Reader{
				"at once": strings.NewReader(c.in), "byte by byte": iotest.OneByteReader(strings.NewReader(c.in)),
				"in halves": iotest.HalfReader(strings.NewReader(c.in)), "with its end": iotest.DataErrReader(strings.NewReader(c.in)),
			} {
				got, err := all(r, 1<<10)
				if err != nil || !reflect.DeepEqual(got, c.want) {
					t.Errorf("%s: %q, %v; want %q", how, got, err, c.want)
				}
			}
			if got := slow(c.in); !reflect.DeepEqual(got, c.want) {
				t.Errorf("the parser of the fuzz test: %q, want %q", got, c.want)
			}
		})
	}
}

// An event is handed on with the first byte that ends it: with a CR, before
// anybody knows whether an LF follows.
func TestEventAtOnce(t *testing.T) {
	for in, after := range map[string]int{"data: a\n\n": 9, "data: a\r\r": 9, "data: a\r\n\r\n": 10, "data: a\n\r\n": 9} {
		p := newParser(100)
		for i := range in {
			room, err := p.room()
			if err != nil {
				t.Fatal(err)
			}
			p.took(copy(room, in[i:i+1]))
			_, ok, err := p.next()
			if err != nil || ok != (i+1 == after) {
				t.Errorf("%q, %d bytes: %v, %v", in, i+1, ok, err)
			}
		}
	}
}

// slow is the standard's text once more, written for the reader: on the whole
// stream, with nothing shared with the parser.
func slow(in string) (got []Event) {
	var chars strings.Builder
	for len(in) > 0 {
		r, n := utf8.DecodeRuneInString(in)
		if r == utf8.RuneError && n == 1 {
			for n = min(3, len(in)); n > 1 && !prefix(in[:n]); n-- {
			}
		}
		chars.WriteRune(r)
		in = in[n:]
	}
	text := strings.TrimPrefix(chars.String(), "\uFEFF")
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = strings.ReplaceAll(text, "\r", "\n")
	lines := strings.Split(text, "\n")
	var typ, id string
	var data []string
	var retry time.Duration
	for _, line := range lines[:len(lines)-1] {
		if line == "" {
			if data != nil {
				if typ == "" {
					typ = "message"
				}
				got = append(got, Event{Type: typ, Data: []byte(strings.Join(data, "\n")), ID: id, Retry: retry})
			}
			typ, data = "", nil
			continue
		}
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "data":
			data = append(data, value)
		case "event":
			typ = value
		case "id":
			if !strings.Contains(value, "\x00") {
				id = value
			}
		case "retry":
			if value != "" && strings.Trim(value, "0123456789") == "" {
				ms, err := strconv.ParseUint(value, 10, 64)
				retry = math.MaxInt64
				if err == nil && ms <= math.MaxInt64/uint64(time.Millisecond) {
					retry = time.Duration(ms) * time.Millisecond
				}
			}
		}
	}
	return got
}

// prefix reports whether some character begins with these bytes.
func prefix(s string) bool {
	for _, tail := range []string{"\x80", "\x80\x80", "\xBF", "\xBF\xBF", "\xBF\x80", "\x80\xBF"} {
		if _, n := utf8.DecodeRuneInString(s + tail); n == len(s)+len(tail) {
			return true
		}
	}
	return false
}

// FuzzEvents holds the parser to the slow one, however the stream is cut into reads.
func FuzzEvents(f *testing.F) {
	for _, in := range []string{"data: a\n\n", "\uFEFFid: 1\r\nevent: x\rdata\n\r", ": ping\n\ndata:a\ndata: b\r\n\r\n", "retry: 10\ndata:\xE2\x82\n\n", "data: \xF0\x9F\n\xED\xA0\n\n", "id: \x00\ndata\n\n"} {
		f.Add([]byte(in), uint64(1))
	}
	f.Fuzz(func(t *testing.T, in []byte, cuts uint64) {
		want := slow(string(in))
		got, err := all(&cutReader{in, cuts | 1}, len(in)+1)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q in cuts of %d: %q, %v; want %q", in, cuts, got, err, want)
		}
		// With a limit it is the same up to an error, which is that of the limit.
		limit := int(cuts % 17)
		some, err := all(&cutReader{in, cuts | 1}, limit)
		if err == nil && len(some) != len(want) || len(some) > len(want) || err != nil && !strings.Contains(err.Error(), ErrTooLong.Error()) {
			t.Errorf("%q with a limit of %d: %q, %v; want a part of %q", in, limit, some, err, want)
		}
		for i, ev := range some {
			if !reflect.DeepEqual(ev, want[i]) {
				t.Errorf("%q with a limit of %d: %q, want %q", in, limit, ev, want[i])
			}
		}
	})
}

// cutReader reads in pieces whose sizes come from a number.
type cutReader struct {
	in   []byte
	cuts uint64
}

func (c *cutReader) Read(p []byte) (int, error) {
	if len(c.in) == 0 {
		return 0, io.EOF
	}
	c.cuts ^= c.cuts << 13 // xorshift
	c.cuts ^= c.cuts >> 7
	c.cuts ^= c.cuts << 17
	n := copy(p[:min(len(p), int(c.cuts%9))], c.in)
	c.in = c.in[n:]
	return n, nil
}

// FuzzLines does the same for lines that end in LF or CR LF.
func FuzzLines(f *testing.F) {
	f.Add([]byte("a\nb\r\n\n\rc"), uint64(3))
	f.Add([]byte("\r\n\r"), uint64(1))
	f.Fuzz(func(t *testing.T, in []byte, cuts uint64) {
		want := strings.Split(string(in), "\n")
		if want[len(want)-1] == "" {
			want = want[:len(want)-1]
		}
		l := &lines{input: from(&cutReader{in, cuts | 1}), l: &splitter{limit: len(in) + 1}}
		var got []string
		for {
			line, ok, err := l.part()
			if ok {
				got = append(got, line)
			} else if err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			} else {
				l.step()
			}
		}
		for i := range want {
			want[i] = strings.TrimSuffix(want[i], "\r")
		}
		if len(got) != len(want) || len(want) > 0 && !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	})
}

// A limit is one: what fits exactly passes, one byte more does not, whatever the
// line ends in and however it is read.
func TestTooLong(t *testing.T) {
	const limit = 5000
	for _, c := range []struct {
		name, in string
		ok       bool
	}{
		{"a line that fits", "data:" + strings.Repeat("x", limit-5) + "\n\n", true},
		{"with CR LF", "data:" + strings.Repeat("x", limit-5) + "\r\n\r\n", true},
		{"one byte more", "data:" + strings.Repeat("x", limit-4) + "\n\n", false},
		{"a line without an end", strings.Repeat("x", 3*limit), false},
		{"a comment", ":" + strings.Repeat("x", 3*limit) + "\n", false},
		{"an event that fits", strings.Repeat("data:"+strings.Repeat("x", 999)+"\n", 5) + "\n", true},
		{"more lines than an event may have", strings.Repeat("data:"+strings.Repeat("x", 999)+"\n", 6) + "\n", false},
	} {
		for how, r := range map[string]io.Reader{"at once": strings.NewReader(c.in), "byte by byte": iotest.OneByteReader(strings.NewReader(c.in))} {
			got, err := all(r, limit)
			if c.ok != (err == nil) || c.ok != (len(got) == 1) || err != nil && !strings.Contains(err.Error(), "more than 5000 bytes") {
				t.Errorf("%s, %s: %d events, %v", c.name, how, len(got), err)
			}
		}
	}
}

// An event belongs to the caller: what is read later does not change it.
func TestEventIsKept(t *testing.T) {
	var in bytes.Buffer
	for n := range 5000 {
		fmt.Fprintf(&in, "event: e%d\nid: %d\ndata: %d\n\n", n%3, n, n)
	}
	got, err := all(&in, 100)
	if err != nil || len(got) != 5000 {
		t.Fatal(len(got), err)
	}
	for n, ev := range got {
		if string(ev.Data) != fmt.Sprint(n) || ev.ID != fmt.Sprint(n) || ev.Type != fmt.Sprintf("e%d", n%3) || cap(ev.Data) != len(ev.Data) {
			t.Fatalf("event %d is %q", n, ev)
		}
	}
}

// Streams that are thrown together from what matters to a parser.
func TestEventStreamAtRandom(t *testing.T) {
	parts := []string{"data", "data:", "data: ", "event:", "id:", "retry:", ":", " ", "\n", "\r", "\r\n", "\n\n", "\uFEFF", "\x00", "7", "x", "é", "\xE2", "\x82", "\xF0\x9F", "\xED", "\xA0", "[DONE]"}
	r := rand.New(rand.NewPCG(3, 4))
	for range 20_000 {
		var in strings.Builder
		for range r.IntN(30) {
			in.WriteString(parts[r.IntN(len(parts))])
		}
		want := slow(in.String())
		got, err := all(&cutReader{[]byte(in.String()), r.Uint64() | 1}, in.Len()+1)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%q: %q, %v; want %q", in.String(), got, err, want)
		}
	}
}
