// Package uuid stands in for a library that makes identifiers: the random kind,
// which is another one at each call, and the kind that is computed from a name.
package uuid

import (
	"crypto/rand"
	"crypto/sha1"
	"encoding/hex"
	"io"
	"time"
)

// UUID is an identifier of 128 bits.
type UUID [16]byte

// NameSpaceURL is for names that are URLs.
var NameSpaceURL = UUID{0x6b, 0xa7, 0xb8, 0x11, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8}

// New returns a random UUID, and panics if there is no randomness.
func New() UUID { return Must(NewRandom()) }

// NewString returns a random UUID as text.
func NewString() string { return New().String() }

// NewRandom returns a random UUID.
func NewRandom() (UUID, error) {
	var u UUID
	if _, err := io.ReadFull(rand.Reader, u[:]); err != nil {
		return UUID{}, err
	}
	u[6] = u[6]&0x0f | 0x40
	u[8] = u[8]&0x3f | 0x80
	return u, nil
}

// NewV7 returns a UUID that begins with the time.
func NewV7() (UUID, error) {
	u, err := NewRandom()
	if err != nil {
		return u, err
	}
	ms := time.Now().UnixMilli()
	for i := range 6 {
		u[i] = byte(ms >> (40 - 8*i))
	}
	u[6] = u[6]&0x0f | 0x70
	return u, nil
}

// NewSHA1 returns the UUID of a name: the same for the same name.
func NewSHA1(space UUID, name []byte) UUID {
	h := sha1.New()
	h.Write(space[:])
	h.Write(name)
	var u UUID
	copy(u[:], h.Sum(nil))
	u[6] = u[6]&0x0f | 0x50
	u[8] = u[8]&0x3f | 0x80
	return u
}

// Must returns u, and panics on an error.
func Must(u UUID, err error) UUID {
	if err != nil {
		panic(err)
	}
	return u
}

// String writes the UUID in its usual form.
func (u UUID) String() string {
	var b [36]byte
	hex.Encode(b[:8], u[:4])
	hex.Encode(b[9:13], u[4:6])
	hex.Encode(b[14:18], u[6:8])
	hex.Encode(b[19:23], u[8:10])
	hex.Encode(b[24:], u[10:])
	b[8], b[13], b[18], b[23] = '-', '-', '-', '-'
	return string(b[:])
}
