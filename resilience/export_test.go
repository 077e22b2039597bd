package resilience

import "io"

// Parse reads an event stream with the parser alone, and counts the events.
func Parse(r io.Reader) (n int, err error) {
	e := &events{from(r), newParser(mostEvent)}
	for {
		_, ok, err := e.part()
		switch {
		case ok:
			n++
		case err == io.EOF:
			return n, nil
		case err != nil:
			return n, err
		default:
			e.step()
		}
	}
}
