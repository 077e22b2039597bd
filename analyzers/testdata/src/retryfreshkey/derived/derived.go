// Package derived files tax returns. The key is computed in every round: from
// the return alone, so that it is the same, or from something of the attempt too.
package derived

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"retryfreshkey/uuid"
)

var errRefused = errors.New("return not filed")

// Return is what is filed.
type Return struct {
	Taxpayer string    `json:"taxpayer"`
	Year     int       `json:"year"`
	Revision int       `json:"revision"`
	Cents    int64     `json:"cents"`
	Due      time.Time `json:"due"`
}

// Filer files returns.
type Filer struct {
	hc     *http.Client
	base   string
	secret []byte
}

func (f *Filer) file(ctx context.Context, key string, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, f.base+"/returns", bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Idempotency-Key", key)
	resp, err := f.hc.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusAccepted {
		return errRefused
	}
	return nil
}

// digest is the same for the same bytes.
func digest(parts ...[]byte) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write(p)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// id names the return.
func (r Return) id() string {
	return fmt.Sprintf("%s/%d/%d", r.Taxpayer, r.Year, r.Revision)
}

// OfBody is a hash of what is sent.
func (f *Filer) OfBody(ctx context.Context, body []byte) error {
	for range 3 {
		sum := sha256.Sum256(body)
		if f.file(ctx, hex.EncodeToString(sum[:]), body) == nil {
			return nil
		}
	}
	return errRefused
}

// OfBodyAndTime is a hash of what is sent, and of when.
func (f *Filer) OfBodyAndTime(ctx context.Context, body []byte) error {
	for range 3 {
		stamp := time.Now().AppendFormat(nil, time.RFC3339Nano) // want `made anew`
		if f.file(ctx, digest(body, stamp), body) == nil {
			return nil
		}
	}
	return errRefused
}

// OfBodyAndDue adds a time that belongs to the return.
func (f *Filer) OfBodyAndDue(ctx context.Context, r Return, body []byte) error {
	for range 3 {
		due := r.Due.AppendFormat(nil, time.RFC3339)
		if f.file(ctx, digest(body, due), body) == nil {
			return nil
		}
	}
	return errRefused
}

// OfID is the name of the return.
func (f *Filer) OfID(ctx context.Context, r Return) error {
	body, err := json.Marshal(r)
	if err != nil {
		return err
	}
	for range 3 {
		if f.file(ctx, "return/"+r.id(), body) == nil {
			return nil
		}
	}
	return errRefused
}

// OfIDAndAttempt ends in the number of the attempt.
func (f *Filer) OfIDAndAttempt(ctx context.Context, r Return) error {
	body, err := json.Marshal(r)
	if err != nil {
		return err
	}
	for attempt := range 3 {
		key := strings.Join([]string{"return", r.id(), strconv.Itoa(attempt)}, "/") // want `made anew`
		if f.file(ctx, key, body) == nil {
			return nil
		}
	}
	return errRefused
}

// OfName is a UUID of the return's name.
func (f *Filer) OfName(ctx context.Context, r Return, body []byte) error {
	for range 3 {
		key := uuid.NewSHA1(uuid.NameSpaceURL, []byte(r.id())).String()
		if f.file(ctx, key, body) == nil {
			return nil
		}
	}
	return errRefused
}

// OfRandomName is a UUID of a name that is another one in every round.
func (f *Filer) OfRandomName(ctx context.Context, r Return, body []byte) error {
	for range 3 {
		key := uuid.NewSHA1(uuid.New(), []byte(r.id())).String() // want `made anew`
		if f.file(ctx, key, body) == nil {
			return nil
		}
	}
	return errRefused
}

// OfSecret is a signature of what is sent.
func (f *Filer) OfSecret(ctx context.Context, body []byte) error {
	for range 3 {
		mac := hmac.New(sha256.New, f.secret)
		mac.Write(body)
		if f.file(ctx, base64.RawURLEncoding.EncodeToString(mac.Sum(nil)), body) == nil {
			return nil
		}
	}
	return errRefused
}

// OfFNV is a small hash, out of a closure that keeps nothing.
func (f *Filer) OfFNV(ctx context.Context, r Return, body []byte) error {
	key := func() string {
		h := fnv.New64a()
		_, _ = io.WriteString(h, r.id())
		return strconv.FormatUint(h.Sum64(), 36)
	}
	for range 3 {
		if f.file(ctx, key(), body) == nil {
			return nil
		}
	}
	return errRefused
}

// OfEncoding encodes the return in every round, and hashes that.
func (f *Filer) OfEncoding(ctx context.Context, r Return) error {
	for range 3 {
		body, err := json.Marshal(r)
		if err != nil {
			return err
		}
		if f.file(ctx, digest(body), body) == nil {
			return nil
		}
	}
	return errRefused
}

// OfEncodingWithNonce hashes the return beside a random number.
func (f *Filer) OfEncodingWithNonce(ctx context.Context, r Return) error {
	for range 3 {
		body, err := json.Marshal(r)
		if err != nil {
			return err
		}
		if f.file(ctx, digest(body, []byte(uuid.NewString())), body) == nil { // want `made anew`
			return nil
		}
	}
	return errRefused
}
