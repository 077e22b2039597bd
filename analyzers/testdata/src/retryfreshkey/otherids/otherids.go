// Package otherids dispatches lorries. Some values have to be another one for
// each attempt; a key that tells repeats has not.
package otherids

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log"
	"net/http"
	"strconv"
	"time"

	"retryfreshkey/uuid"
)

var errNoLorry = errors.New("no lorry")

// Depot sends lorries.
type Depot struct {
	hc     *http.Client
	base   string
	secret []byte
}

func (d *Depot) request(ctx context.Context, body []byte) (*http.Request, error) {
	return http.NewRequestWithContext(ctx, http.MethodPost, d.base+"/dispatches", bytes.NewReader(body))
}

func (d *Depot) sent(req *http.Request) bool {
	resp, err := d.hc.Do(req)
	if err != nil {
		log.Println("depot:", err)
		return false
	}
	defer resp.Body.Close()
	return resp.StatusCode < 300
}

// sign adds a date and a nonce, which the depot takes only once, and signs them.
func (d *Depot) sign(req *http.Request, body []byte) {
	nonce := rand.Text()
	date := strconv.FormatInt(time.Now().Unix(), 10)
	mac := hmac.New(sha256.New, d.secret)
	fmt.Fprintf(mac, "%s\n%s\n%s\n", req.Method, date, nonce)
	mac.Write(body)
	req.Header.Set("X-Nonce", nonce)
	req.Header.Set("X-Timestamp", date)
	req.Header.Set("X-Signature", hex.EncodeToString(mac.Sum(nil)))
}

// RequestID tells attempts apart in the log; the key is the same.
func (d *Depot) RequestID(ctx context.Context, body []byte) error {
	key := uuid.NewString()
	for range 3 {
		req, err := d.request(ctx, body)
		if err != nil {
			return err
		}
		req.Header.Set("X-Request-Id", uuid.NewString())
		req.Header.Set("Idempotency-Key", key)
		if d.sent(req) {
			return nil
		}
	}
	return errNoLorry
}

// RequestIDAsKey makes one value and uses it for both.
func (d *Depot) RequestIDAsKey(ctx context.Context, body []byte) error {
	for range 3 {
		req, err := d.request(ctx, body)
		if err != nil {
			return err
		}
		id := uuid.NewString() // want `made anew`
		req.Header.Set("X-Request-Id", id)
		req.Header.Set("Idempotency-Key", id)
		if d.sent(req) {
			return nil
		}
	}
	return errNoLorry
}

// OnlyRequestID has no key at all: that is for another rule.
func (d *Depot) OnlyRequestID(ctx context.Context, body []byte) error {
	for range 3 {
		req, err := d.request(ctx, body)
		if err != nil {
			return err
		}
		req.Header.Set("X-Request-Id", uuid.NewString())
		req.Header.Set("X-Correlation-Id", uuid.NewString())
		if d.sent(req) {
			return nil
		}
	}
	return errNoLorry
}

// Traced begins a span per attempt.
func (d *Depot) Traced(ctx context.Context, body []byte) error {
	key, trace := uuid.NewString(), hex.EncodeToString([]byte(rand.Text())[:16])
	for range 3 {
		req, err := d.request(ctx, body)
		if err != nil {
			return err
		}
		span := hex.EncodeToString([]byte(rand.Text())[:8])
		req.Header.Set("Traceparent", "00-"+trace+"-"+span+"-01")
		req.Header.Set("Idempotency-Key", key)
		if d.sent(req) {
			return nil
		}
	}
	return errNoLorry
}

// Signed makes a nonce for each attempt, as it has to.
func (d *Depot) Signed(ctx context.Context, body []byte) error {
	key := uuid.NewString()
	for range 3 {
		req, err := d.request(ctx, body)
		if err != nil {
			return err
		}
		req.Header.Set("Idempotency-Key", key)
		d.sign(req, body)
		if d.sent(req) {
			return nil
		}
	}
	return errNoLorry
}

// SignedAnew makes the key where the nonce is made.
func (d *Depot) SignedAnew(ctx context.Context, body []byte) error {
	for range 3 {
		req, err := d.request(ctx, body)
		if err != nil {
			return err
		}
		d.sign(req, body)
		req.Header.Set("Idempotency-Key", uuid.NewString()) // want `made anew`
		if d.sent(req) {
			return nil
		}
	}
	return errNoLorry
}

// Numbered says which attempt it is, and when; the key is the same.
func (d *Depot) Numbered(ctx context.Context, body []byte) error {
	key := uuid.NewString()
	for n := range 3 {
		req, err := d.request(ctx, body)
		if err != nil {
			return err
		}
		req.Header.Set("X-Attempt", strconv.Itoa(n))
		req.Header.Set("X-Sent-At", time.Now().UTC().Format(http.TimeFormat))
		req.Header.Set("Idempotency-Key", key)
		log.Printf("dispatch %s, attempt %d, log entry %s", key, n, uuid.NewString())
		if d.sent(req) {
			return nil
		}
	}
	return errNoLorry
}

// KeyOfAnother makes a key per round for a request that is not repeated: the
// notice goes out after the dispatch has succeeded.
func (d *Depot) KeyOfAnother(ctx context.Context, body []byte) error {
	key := uuid.NewString()
	for range 3 {
		req, err := d.request(ctx, body)
		if err != nil {
			return err
		}
		req.Header.Set("Idempotency-Key", key)
		if !d.sent(req) {
			continue
		}
		notice, err := http.NewRequestWithContext(ctx, http.MethodPost, d.base+"/notices", nil)
		if err != nil {
			return err
		}
		notice.Header.Set("Idempotency-Key", uuid.NewString())
		if !d.sent(notice) {
			log.Println("notice not sent")
		}
		return nil
	}
	return errNoLorry
}

// Boundary makes a file name per attempt, and a key once.
func (d *Depot) Boundary(ctx context.Context, note string) error {
	key := uuid.NewString()
	for range 3 {
		boundary := rand.Text()
		var buf bytes.Buffer
		fmt.Fprintf(&buf, "--%s\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\n%s\r\n--%s--\r\n", boundary, note, boundary)
		req, err := d.request(ctx, buf.Bytes())
		if err != nil {
			return err
		}
		req.Header.Set("Content-Type", "multipart/form-data; boundary="+boundary)
		req.Header.Set("Idempotency-Key", key)
		if d.sent(req) {
			return nil
		}
	}
	return errNoLorry
}
