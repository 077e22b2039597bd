package shapes

import (
	"errors"
	"io"
)

// Nothing in this file is net/http.

// Board is a notice board in memory.
type Board struct{ notes []string }

// Post puts up a note.
func (b *Board) Post(url, contentType string, body io.Reader) (*Board, error) {
	if len(b.notes) > 9 {
		return nil, errors.New("board is full")
	}
	b.notes = append(b.notes, url+contentType)
	return b, nil
}

// Do has the name, and neither the parameters nor the results.
func (b *Board) Do(what string) error {
	_, err := b.Post(what, "", nil)
	return err
}

// PinUp: a variable named http.
func PinUp(http *Board) error {
	for range 3 {
		if _, err := http.Post("dinner", "text/plain", nil); err == nil {
			return nil
		}
	}
	return errGuest
}

// DefaultClient: a local variable of that name.
func DefaultClient() error {
	DefaultClient := &Board{}
	var err error
	for i := 0; i < 3; i++ {
		if err = DefaultClient.Do("POST"); err == nil {
			return nil
		}
	}
	return err
}

type fakeHTTP struct{ Client *Board }

var local = fakeHTTP{Client: new(Board)}

// Fields: looks like http.Client.Post.
func Fields() error {
	http := local
	for range 5 {
		if _, err := http.Client.Post("lunch", "", nil); err == nil {
			return nil
		}
	}
	return errGuest
}

// NewRequest: a function of this package with a known name.
func NewRequest(method, url string) *Board { return &Board{notes: []string{method, url}} }

// Requests: and a loop that uses it.
func Requests() error {
	for range 3 {
		b := NewRequest("POST", "/supper")
		if err := b.Do(b.notes[0]); err == nil {
			return nil
		}
	}
	return errGuest
}
