// Package ids makes the identifiers of the module.
package ids

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"sync/atomic"
)

var last atomic.Int64

// New returns a random identifier with a prefix.
func New(prefix string) string { return prefix + "_" + text() }

func text() string {
	var b [12]byte
	if _, err := rand.Read(b[:]); err != nil {
		panic(err)
	}
	return hex.EncodeToString(b[:])
}

// Next returns a number that no call has returned before.
func Next() int64 { return last.Add(1) }

// Of returns the identifier of its parts: the same for the same parts.
func Of(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:12])
}

// Keeper makes an identifier at the first call, and keeps it.
type Keeper struct{ id string }

// ID returns the identifier.
func (k *Keeper) ID() string {
	if k.id == "" {
		k.id = New("kept")
	}
	return k.id
}
