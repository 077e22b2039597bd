package keys

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// HeaderSet: made once, set in every round.
func (o *Office) HeaderSet(rent []byte) error {
	key := fresh()
	for range 3 {
		req, err := http.NewRequest(http.MethodPost, o.base+"/rents", bytes.NewReader(rent))
		if err != nil {
			return err
		}
		req.Header.Set("Idempotency-Key", key)
		resp, err := o.hc.Do(req)
		if err == nil {
			drop(resp)
			return nil
		}
	}
	return errUnpaid
}

// HeaderAdd: Add instead of Set.
func (o *Office) HeaderAdd(key string, rent []byte) error {
	for range 3 {
		req, err := http.NewRequest(http.MethodPost, o.base+"/rents", bytes.NewReader(rent))
		if err != nil {
			return err
		}
		req.Header.Add("Idempotency-Key", key)
		resp, err := o.hc.Do(req)
		if err == nil {
			drop(resp)
			return nil
		}
	}
	return errUnpaid
}

// HeaderAssigned: the map of headers is written directly.
func (o *Office) HeaderAssigned(key string, rent []byte) error {
	for range 3 {
		req, err := http.NewRequest(http.MethodPost, o.base+"/rents", bytes.NewReader(rent))
		if err != nil {
			return err
		}
		req.Header["Idempotency-Key"] = []string{key}
		resp, err := o.hc.Do(req)
		if err == nil {
			drop(resp)
			return nil
		}
	}
	return errUnpaid
}

// HeaderLiteral: the whole header is a literal, its name in small letters.
func (o *Office) HeaderLiteral(key string, u *url.URL) error {
	for range 3 {
		req := &http.Request{
			Method: http.MethodPost,
			URL:    u,
			Header: http.Header{"idempotency-key": {key}},
		}
		resp, err := o.hc.Do(req)
		if err == nil {
			drop(resp)
			return nil
		}
	}
	return errUnpaid
}

// HeaderShared: a header made before the loop, cloned into every request.
func (o *Office) HeaderShared(key string, rent []byte) error {
	h := make(http.Header)
	h.Set("Content-Type", "application/json")
	h.Set(idemHeader, key)
	for range 3 {
		req, err := http.NewRequest(http.MethodPost, o.base+"/rents", bytes.NewReader(rent))
		if err != nil {
			return err
		}
		req.Header = h.Clone()
		resp, err := o.hc.Do(req)
		if err == nil {
			drop(resp)
			return nil
		}
	}
	return errUnpaid
}

// ByConstant: the name is a constant, and the request is built once.
func (o *Office) ByConstant(rent []byte) error {
	req, err := http.NewRequest(http.MethodPost, o.base+"/rents", bytes.NewReader(rent))
	if err != nil {
		return err
	}
	req.Header.Set(idemHeader, fresh())
	for n := 0; ; n++ {
		if n > 0 {
			if req.Body, err = req.GetBody(); err != nil {
				return err
			}
		}
		resp, err := o.hc.Do(req)
		if err == nil {
			drop(resp)
			return nil
		}
		if n == 3 {
			return err
		}
	}
}

// SmallLetters: Set makes the name canonical.
func (o *Office) SmallLetters(key string, rent []byte) error {
	for range 3 {
		req, err := http.NewRequest(http.MethodPost, o.base+"/rents", bytes.NewReader(rent))
		if err != nil {
			return err
		}
		req.Header.Set("idempotency-key", key)
		resp, err := o.hc.Do(req)
		if err == nil {
			drop(resp)
			return nil
		}
	}
	return errUnpaid
}

// XIdempotencyKey: the form with X.
func (o *Office) XIdempotencyKey(key string, rent []byte) error {
	for range 3 {
		req, err := http.NewRequest(http.MethodPost, o.base+"/rents", bytes.NewReader(rent))
		if err != nil {
			return err
		}
		req.Header.Set("X-Idempotency-Key", key)
		resp, err := o.hc.Do(req)
		if err == nil {
			drop(resp)
			return nil
		}
	}
	return errUnpaid
}

// PayPal: its own name for it, on a PATCH.
func (o *Office) PayPal(key string, rent []byte) error {
	for range 3 {
		req, err := http.NewRequest(http.MethodPatch, o.base+"/rents/7", bytes.NewReader(rent))
		if err != nil {
			return err
		}
		req.Header.Set("PayPal-Request-Id", key)
		resp, err := o.hc.Do(req)
		if err == nil {
			drop(resp)
			return nil
		}
	}
	return errUnpaid
}

// Repeatability: the OASIS name.
func (o *Office) Repeatability(key string, rent []byte) error {
	for range 3 {
		req, err := http.NewRequest(http.MethodPost, o.base+"/rents", bytes.NewReader(rent))
		if err != nil {
			return err
		}
		req.Header.Set("Repeatability-Request-ID", key)
		resp, err := o.hc.Do(req)
		if err == nil {
			drop(resp)
			return nil
		}
	}
	return errUnpaid
}

// InBuilder: the builder sets it.
func (o *Office) InBuilder(ctx context.Context, rent []byte) error {
	key := fresh()
	for range 3 {
		req, err := o.build(ctx, key, rent)
		if err != nil {
			return err
		}
		resp, err := o.hc.Do(req)
		if err == nil {
			drop(resp)
			return nil
		}
	}
	return errUnpaid
}

// InHelper: a helper sets it on a request built here.
func (o *Office) InHelper(key string, rent []byte) error {
	for range 3 {
		req, err := http.NewRequest(http.MethodPost, o.base+"/rents", bytes.NewReader(rent))
		if err != nil {
			return err
		}
		stamp(req, key)
		resp, err := o.hc.Do(req)
		if err == nil {
			drop(resp)
			return nil
		}
	}
	return errUnpaid
}

// payOnce takes the key from its caller; the retry is in FromCaller.
func (o *Office) payOnce(ctx context.Context, key string, rent []byte) error {
	req, err := o.build(ctx, key, rent)
	if err != nil {
		return err
	}
	resp, err := o.hc.Do(req)
	if err != nil {
		return err
	}
	drop(resp)
	return nil
}

// FromCaller: made here, handed two functions down.
func (o *Office) FromCaller(ctx context.Context, rent []byte) (err error) {
	key := fresh()
	for range 3 {
		if err = o.payOnce(ctx, key, rent); err == nil {
			return nil
		}
	}
	return err
}

// ByOption: the key comes as one of the functions that edit the request.
func (o *Office) ByOption(rent []byte) error {
	return o.edited(rent, withTrace("t"), withKey(fresh()))
}

func (o *Office) edited(rent []byte, edits ...edit) error {
	for range 3 {
		req, err := http.NewRequest(http.MethodPost, o.base+"/rents", bytes.NewReader(rent))
		if err != nil {
			return err
		}
		for _, e := range edits {
			e(req)
		}
		resp, err := o.hc.Do(req)
		if err == nil {
			drop(resp)
			return nil
		}
	}
	return errUnpaid
}

type rentOrder struct {
	Flat           int
	Cents          int64
	IdempotencyKey string
}

// BodyField: a field of the body, by its Go name.
func (o *Office) BodyField(key string) error {
	body, err := json.Marshal(rentOrder{Flat: 7, Cents: 80000, IdempotencyKey: key})
	if err != nil {
		return err
	}
	for range 3 {
		resp, err := o.hc.Post(o.base+"/rents", "application/json", bytes.NewReader(body))
		if err == nil {
			drop(resp)
			return nil
		}
	}
	return errUnpaid
}

type taggedOrder struct {
	Flat int    `json:"flat"`
	Ref  string `json:"idempotency_key,omitempty"`
}

// BodyTag: the JSON tag names it; the value is filled by assignment.
func (o *Office) BodyTag() error {
	order := &taggedOrder{Flat: 7}
	order.Ref = fresh()
	for range 3 {
		body, err := encode(order)
		if err != nil {
			return err
		}
		resp, err := o.hc.Post(o.base+"/rents", "application/json", body)
		if err == nil {
			drop(resp)
			return nil
		}
	}
	return errUnpaid
}

type tokenOrder struct {
	ClientToken string
	Flat        int
}

// BodyClientToken: the name that AWS gives it.
func (o *Office) BodyClientToken(token string) error {
	for range 3 {
		body, err := encode(tokenOrder{ClientToken: token, Flat: 7})
		if err != nil {
			return err
		}
		resp, err := o.hc.Post(o.base+"/rents", "application/json", body)
		if err == nil {
			drop(resp)
			return nil
		}
	}
	return errUnpaid
}

type apiOrder struct {
	RequestID string `json:"request_id"`
	Flat      int    `json:"flat"`
}

// BodyRequestID: AIP-155, a request_id in the body (not a header).
func (o *Office) BodyRequestID() error {
	order := apiOrder{RequestID: fresh(), Flat: 7}
	for range 3 {
		body, err := encode(order)
		if err != nil {
			return err
		}
		resp, err := o.hc.Post(o.base+"/v1/rents", "application/json", body)
		if err == nil {
			drop(resp)
			return nil
		}
	}
	return errUnpaid
}

// BodyMap: a map with the key in it.
func (o *Office) BodyMap(key string) error {
	body, err := json.Marshal(map[string]any{"flat": 7, "idempotency_key": key})
	if err != nil {
		return err
	}
	for range 3 {
		resp, err := o.hc.Post(o.base+"/rents", "application/json", bytes.NewReader(body))
		if err == nil {
			drop(resp)
			return nil
		}
	}
	return errUnpaid
}

// BodyMapAssigned: put into the map by a statement, under a constant.
func (o *Office) BodyMapAssigned(key string) error {
	order := map[string]string{"flat": "7"}
	order[idemParam] = key
	for range 3 {
		body, err := encode(order)
		if err != nil {
			return err
		}
		resp, err := o.hc.Post(o.base+"/rents", "application/json", body)
		if err == nil {
			drop(resp)
			return nil
		}
	}
	return errUnpaid
}

// BodyText: written into the JSON by Sprintf.
func (o *Office) BodyText(key string) error {
	body := fmt.Sprintf(`{"flat":7,"idempotency_key":%q}`, key)
	for range 3 {
		resp, err := o.hc.Post(o.base+"/rents", "application/json", strings.NewReader(body))
		if err == nil {
			drop(resp)
			return nil
		}
	}
	return errUnpaid
}

// BodyByCaller: a helper encodes whatever it gets, its callers give it a key.
func (o *Office) BodyByCaller(key string) error {
	return o.postJSON("/rents", rentOrder{Flat: 8, IdempotencyKey: key})
}

func (o *Office) postJSON(path string, v any) error {
	for range 3 {
		body, err := encode(v)
		if err != nil {
			return err
		}
		resp, err := o.hc.Post(o.base+path, "application/json", body)
		if err == nil {
			drop(resp)
			return nil
		}
	}
	return errUnpaid
}

// FormValue: a value of a form.
func (o *Office) FormValue(key string) error {
	form := url.Values{"flat": {"7"}, "idempotency_key": {key}}
	for range 3 {
		resp, err := o.hc.PostForm(o.base+"/rents", form)
		if err == nil {
			drop(resp)
			return nil
		}
	}
	return errUnpaid
}

// FormHelper: the form comes from a function that sets it.
func (o *Office) FormHelper() error {
	form := formOf(fresh())
	for range 3 {
		resp, err := o.hc.Post(o.base+"/rents", "application/x-www-form-urlencoded", strings.NewReader(form.Encode()))
		if err == nil {
			drop(resp)
			return nil
		}
	}
	return errUnpaid
}

// InQuery: a parameter of the URL.
func (o *Office) InQuery(key string, rent []byte) error {
	q := url.Values{}
	q.Set("idempotency_key", key)
	for range 3 {
		resp, err := o.hc.Post(o.base+"/rents?"+q.Encode(), "application/json", bytes.NewReader(rent))
		if err == nil {
			drop(resp)
			return nil
		}
	}
	return errUnpaid
}

// FreshEachRound: a new key per attempt is a mistake, but the one of
// retryfreshkey; this rule has no verdict here.
func (o *Office) FreshEachRound(rent []byte) error {
	for range 3 {
		req, err := http.NewRequest(http.MethodPost, o.base+"/rents", bytes.NewReader(rent))
		if err != nil {
			return err
		}
		req.Header.Set(idemHeader, fresh())
		resp, err := o.hc.Do(req)
		if err == nil {
			drop(resp)
			return nil
		}
	}
	return errUnpaid
}

// InClosure: made outside the closure that sends.
func (o *Office) InClosure(rent []byte) (err error) {
	key := fresh()
	pay := func() error {
		req, err := http.NewRequest(http.MethodPost, o.base+"/rents", bytes.NewReader(rent))
		if err != nil {
			return err
		}
		stamp(req, key)
		resp, err := o.hc.Do(req)
		if err != nil {
			return err
		}
		drop(resp)
		return nil
	}
	for range 3 {
		if err = pay(); err == nil {
			return nil
		}
	}
	return err
}

// OnClone: set on the first request, and kept by its clones.
func (o *Office) OnClone(ctx context.Context, key string) error {
	tmpl, err := http.NewRequest(http.MethodPost, o.base+"/rents/7/collect", nil)
	if err != nil {
		return err
	}
	tmpl.Header.Set(idemHeader, key)
	for range 3 {
		resp, err := o.hc.Do(tmpl.Clone(ctx))
		if err == nil {
			drop(resp)
			return nil
		}
	}
	return errUnpaid
}
