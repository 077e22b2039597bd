// Package generators sends meter readings under keys of every kind. The loop is
// the same everywhere; what differs is where the key's value comes from.
package generators

import (
	"bytes"
	"context"
	crand "crypto/rand"
	"encoding/base32"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"math/rand"
	randv2 "math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"retryfreshkey/uuid"
)

var errUnsent = errors.New("reading not sent")

// sequence numbers the keys of this process.
var sequence atomic.Uint64

// Station sends readings.
type Station struct {
	hc   *http.Client
	base string
	name string
	seq  int64
	rng  *rand.Rand
}

// Reading is one value of one meter.
type Reading struct {
	Meter string
	At    time.Time
	Body  []byte
}

// post is one attempt under a key.
func (s *Station) post(ctx context.Context, key string, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.base+"/readings", bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Idempotency-Key", key)
	resp, err := s.hc.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		return errUnsent
	}
	return nil
}

// token is sixteen random bytes as text.
func token() (string, error) {
	b := make([]byte, 16)
	if _, err := crand.Read(b); err != nil {
		return "", err
	}
	return hex.EncodeToString(b), nil
}

// letters is a short random word.
func letters(n int) string {
	const alphabet = "abcdefghijkmnpqrstuvwxyz23456789"
	var sb strings.Builder
	for range n {
		sb.WriteByte(alphabet[rand.Intn(len(alphabet))])
	}
	return sb.String()
}

// sortable begins with the time and ends in noise.
func sortable() string {
	var noise [10]byte
	_, _ = crand.Read(noise[:])
	return strconv.FormatInt(time.Now().UnixMilli(), 32) + base32.HexEncoding.EncodeToString(noise[:])
}

// next is one more than the last.
func (s *Station) next() string {
	s.seq++
	return s.name + "-" + strconv.FormatInt(s.seq, 10)
}

// named is the same for the same reading.
func (r Reading) named() string {
	return r.Meter + "-" + r.At.UTC().Format(time.RFC3339)
}

// UUID is a random UUID.
func (s *Station) UUID(ctx context.Context, r Reading) error {
	for range 3 {
		if s.post(ctx, uuid.New().String(), r.Body) == nil { // want `made anew`
			return nil
		}
	}
	return errUnsent
}

// UUIDErr is one that comes with an error.
func (s *Station) UUIDErr(ctx context.Context, r Reading) error {
	for range 3 {
		id, err := uuid.NewV7() // want `made anew`
		if err != nil {
			return err
		}
		if s.post(ctx, id.String(), r.Body) == nil {
			return nil
		}
	}
	return errUnsent
}

// RandomText is the text of crypto/rand.
func (s *Station) RandomText(ctx context.Context, r Reading) error {
	for range 3 {
		if s.post(ctx, crand.Text(), r.Body) == nil { // want `made anew`
			return nil
		}
	}
	return errUnsent
}

// RandomBytes come from a helper with an error.
func (s *Station) RandomBytes(ctx context.Context, r Reading) error {
	for range 3 {
		key, err := token() // want `made anew`
		if err != nil {
			return err
		}
		if s.post(ctx, key, r.Body) == nil {
			return nil
		}
	}
	return errUnsent
}

// RandomBig is a number of crypto/rand.
func (s *Station) RandomBig(ctx context.Context, r Reading) error {
	limit := new(big.Int).Lsh(big.NewInt(1), 64)
	for range 3 {
		n, err := crand.Int(crand.Reader, limit) // want `made anew`
		if err != nil {
			return err
		}
		if s.post(ctx, n.String(), r.Body) == nil {
			return nil
		}
	}
	return errUnsent
}

// MathRand is a number of math/rand.
func (s *Station) MathRand(ctx context.Context, r Reading) error {
	for range 3 {
		if s.post(ctx, fmt.Sprintf("%s-%06d", s.name, rand.Intn(1_000_000)), r.Body) == nil { // want `made anew`
			return nil
		}
	}
	return errUnsent
}

// MathRandV2 is one of math/rand/v2.
func (s *Station) MathRandV2(ctx context.Context, r Reading) error {
	for range 3 {
		if s.post(ctx, strconv.FormatUint(randv2.Uint64(), 36), r.Body) == nil { // want `made anew`
			return nil
		}
	}
	return errUnsent
}

// OwnSource asks a generator of the station.
func (s *Station) OwnSource(ctx context.Context, r Reading) error {
	for range 3 {
		if s.post(ctx, strconv.FormatInt(s.rng.Int63(), 36), r.Body) == nil { // want `made anew`
			return nil
		}
	}
	return errUnsent
}

// Word is a random word out of a helper.
func (s *Station) Word(ctx context.Context, r Reading) error {
	for range 3 {
		if s.post(ctx, r.Meter+"-"+letters(8), r.Body) == nil { // want `made anew`
			return nil
		}
	}
	return errUnsent
}

// Sortable begins with the time.
func (s *Station) Sortable(ctx context.Context, r Reading) error {
	for range 3 {
		if s.post(ctx, sortable(), r.Body) == nil { // want `made anew`
			return nil
		}
	}
	return errUnsent
}

// Clock is the time of the attempt.
func (s *Station) Clock(ctx context.Context, r Reading) error {
	for range 3 {
		key := r.Meter + "-" + strconv.FormatInt(time.Now().UnixNano(), 10) // want `made anew`
		if s.post(ctx, key, r.Body) == nil {
			return nil
		}
		time.Sleep(time.Second)
	}
	return errUnsent
}

// ClockText is the time as text.
func (s *Station) ClockText(ctx context.Context, r Reading) error {
	for range 3 {
		key := r.Meter + time.Now().UTC().Format("20060102T150405.000000") // want `made anew`
		if s.post(ctx, key, r.Body) == nil {
			return nil
		}
		time.Sleep(time.Second)
	}
	return errUnsent
}

// Number is the number of the attempt.
func (s *Station) Number(ctx context.Context, r Reading) error {
	for i := 1; i <= 3; i++ {
		key := r.named() + "/" + strconv.Itoa(i) // want `made anew`
		if s.post(ctx, key, r.Body) == nil {
			return nil
		}
	}
	return errUnsent
}

// NumberOfCounter counts apart from the loop.
func (s *Station) NumberOfCounter(ctx context.Context, r Reading) error {
	tries := 0
	for {
		key := fmt.Sprintf("%s#%d", r.named(), tries) // want `made anew`
		err := s.post(ctx, key, r.Body)
		if err == nil {
			return nil
		}
		if tries++; tries == 5 {
			return err
		}
	}
}

// Sequence is a counter of the process.
func (s *Station) Sequence(ctx context.Context, r Reading) error {
	for range 3 {
		key := fmt.Sprintf("%s-%d-%d", s.name, os.Getpid(), sequence.Add(1)) // want `made anew`
		if s.post(ctx, key, r.Body) == nil {
			return nil
		}
	}
	return errUnsent
}

// Field is a counter of the station, in a method.
func (s *Station) Field(ctx context.Context, r Reading) error {
	for range 3 {
		if s.post(ctx, s.next(), r.Body) == nil { // want `made anew`
			return nil
		}
	}
	return errUnsent
}

// From here on: one key per reading, whatever it is made of.

// RandomBefore takes the same sources before the loop.
func (s *Station) RandomBefore(ctx context.Context, r Reading) error {
	noise, err := token()
	if err != nil {
		return err
	}
	key := fmt.Sprintf("%s-%d-%s", s.next(), time.Now().UnixNano(), noise)
	for range 3 {
		if s.post(ctx, key, r.Body) == nil {
			return nil
		}
	}
	return errUnsent
}

// OfReading uses the time at which the meter was read, not that of the attempt.
func (s *Station) OfReading(ctx context.Context, r Reading) error {
	for range 3 {
		if s.post(ctx, r.named(), r.Body) == nil {
			return nil
		}
	}
	return errUnsent
}

// OfHost uses what does not change while the process runs.
func (s *Station) OfHost(ctx context.Context, r Reading) error {
	for range 3 {
		host, err := os.Hostname()
		if err != nil {
			return err
		}
		key := fmt.Sprintf("%s-%d-%s", host, os.Getpid(), r.Meter)
		if s.post(ctx, key, r.Body) == nil {
			return nil
		}
	}
	return errUnsent
}

// Jitter takes random numbers in the loop, for the pause.
func (s *Station) Jitter(ctx context.Context, r Reading) error {
	key := crand.Text()
	for i := range 3 {
		if s.post(ctx, key, r.Body) == nil {
			return nil
		}
		time.Sleep(time.Duration(i)*time.Second + time.Duration(rand.Int63n(int64(time.Second))))
	}
	return errUnsent
}

// Sequenced counts once per reading.
func (s *Station) Sequenced(ctx context.Context, readings []Reading) error {
	for _, r := range readings {
		key := s.next()
		var err error
		for range 3 {
			if err = s.post(ctx, key, r.Body); err == nil {
				break
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}
