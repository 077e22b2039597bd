package idempotency

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"net/http"
)

// fingerprint tells requests apart: it covers method, path, query, content type
// and body, each with its length, so that none can pass for a part of another.
func fingerprint(r *http.Request, body []byte) string {
	h := sha256.New()
	for _, part := range [][]byte{[]byte(r.Method), []byte(r.URL.EscapedPath()), []byte(r.URL.RawQuery), []byte(r.Header.Get("Content-Type")), body} {
		var size [8]byte
		binary.BigEndian.PutUint64(size[:], uint64(len(part)))
		h.Write(size[:]) // a hash never returns an error
		h.Write(part)
	}
	return hex.EncodeToString(h.Sum(nil))
}
