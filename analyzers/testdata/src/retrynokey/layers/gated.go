package layers

import (
	"bytes"
	"context"
	"net/http"
	"slices"
)

// Nothing in this file is reported: every layer asks before it repeats.

// ReadsOnly leaves at once for other methods.
type ReadsOnly struct{ next http.RoundTripper }

func (t *ReadsOnly) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method != http.MethodGet && req.Method != http.MethodHead {
		return t.next.RoundTrip(req)
	}
	for n := 0; ; n++ {
		resp, err := t.next.RoundTrip(req)
		if n == 3 || !flaky(resp, err) {
			return resp, err
		}
		toss(resp)
	}
}

// NotPost names what must not be repeated.
type NotPost struct{ next http.RoundTripper }

func (t *NotPost) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method == "POST" || req.Method == "PATCH" {
		return t.next.RoundTrip(req)
	}
	for n := 0; ; n++ {
		resp, err := t.next.RoundTrip(req)
		if n == 3 || !flaky(resp, err) {
			return resp, err
		}
		toss(resp)
	}
}

// InCondition asks in the condition of the next round.
type InCondition struct{ next http.RoundTripper }

func (t *InCondition) RoundTrip(req *http.Request) (*http.Response, error) {
	for n := 0; ; n++ {
		resp, err := t.next.RoundTrip(req)
		if n == 3 || !flaky(resp, err) || req.Method != http.MethodGet {
			return resp, err
		}
		toss(resp)
	}
}

// ByPredicate asks a function of the package about the method.
type ByPredicate struct{ next http.RoundTripper }

func (t *ByPredicate) RoundTrip(req *http.Request) (*http.Response, error) {
	for n := 0; n < 3; n++ {
		resp, err := t.next.RoundTrip(req)
		if !flaky(resp, err) || !harmless(req.Method) {
			return resp, err
		}
		toss(resp)
	}
	return nil, errShelf
}

// ByRequestPredicate gives the whole request to the function.
type ByRequestPredicate struct{ next http.RoundTripper }

func (t *ByRequestPredicate) RoundTrip(req *http.Request) (*http.Response, error) {
	if !mayRepeat(req) {
		return t.next.RoundTrip(req)
	}
	for n := 0; ; n++ {
		resp, err := t.next.RoundTrip(req)
		if n == 2 || !flaky(resp, err) {
			return resp, err
		}
		toss(resp)
	}
}

// three decides by request, response and error in one method.
type three struct{ next http.RoundTripper }

func (t three) retry(req *http.Request, resp *http.Response, err error) bool {
	if req.Context().Err() != nil || !harmless(req.Method) {
		return false
	}
	return flaky(resp, err)
}

func (t three) RoundTrip(req *http.Request) (*http.Response, error) {
	for n := 0; ; n++ {
		resp, err := t.next.RoundTrip(req)
		if n == 2 || !t.retry(req, resp, err) {
			return resp, err
		}
		toss(resp)
	}
}

// KeyRequired repeats only what carries a key.
type KeyRequired struct{ next http.RoundTripper }

func (t *KeyRequired) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Header.Get("Idempotency-Key") == "" {
		return t.next.RoundTrip(req)
	}
	for n := 0; ; n++ {
		resp, err := t.next.RoundTrip(req)
		if n == 3 || !flaky(resp, err) {
			return resp, err
		}
		toss(resp)
	}
}

// KeyOrRead: a POST needs a key, asked in the condition.
type KeyOrRead struct{ next http.RoundTripper }

func (t *KeyOrRead) RoundTrip(req *http.Request) (*http.Response, error) {
	for n := 0; ; n++ {
		resp, err := t.next.RoundTrip(req)
		if n == 3 || !flaky(resp, err) {
			return resp, err
		}
		if req.Method == http.MethodPost && !hasKey(req) || req.Method == http.MethodPatch {
			return resp, err
		}
		toss(resp)
	}
}

// BoolBefore works the answer out once, before the loop.
type BoolBefore struct{ next http.RoundTripper }

func (t *BoolBefore) RoundTrip(req *http.Request) (*http.Response, error) {
	ok := req.Method == http.MethodGet || req.Method == http.MethodDelete || req.Header.Get(keyHeader) != ""
	for n := 0; ; n++ {
		resp, err := t.next.RoundTrip(req)
		if !ok || n == 3 || !flaky(resp, err) {
			return resp, err
		}
		toss(resp)
	}
}

// BoolInLoopCondition: the same in the condition of the for.
type BoolInLoopCondition struct{ next http.RoundTripper }

func (t *BoolInLoopCondition) RoundTrip(req *http.Request) (*http.Response, error) {
	again := harmless(req.Method)
	resp, err := t.next.RoundTrip(req)
	for n := 0; again && n < 3 && flaky(resp, err); n++ {
		toss(resp)
		resp, err = t.next.RoundTrip(req)
	}
	return resp, err
}

// MaxOne sets the number of attempts to one.
type MaxOne struct {
	next http.RoundTripper
	max  int
}

func (t *MaxOne) RoundTrip(req *http.Request) (*http.Response, error) {
	max := t.max
	if !repeatable[req.Method] {
		max = 1
	}
	var resp *http.Response
	var err error
	for n := 0; n < max; n++ {
		resp, err = t.next.RoundTrip(req)
		if !flaky(resp, err) {
			break
		}
	}
	return resp, err
}

// attemptsFor is the same in a function.
func attemptsFor(method string) int {
	switch method {
	case http.MethodGet, http.MethodHead:
		return 4
	default:
		return 1
	}
}

// MaxByFunction asks it.
type MaxByFunction struct{ next http.RoundTripper }

func (t *MaxByFunction) RoundTrip(req *http.Request) (resp *http.Response, err error) {
	for range attemptsFor(req.Method) {
		if resp, err = t.next.RoundTrip(req); !flaky(resp, err) {
			return
		}
	}
	return
}

// BySwitch: the loop stands in a case.
type BySwitch struct{ next http.RoundTripper }

func (t *BySwitch) RoundTrip(req *http.Request) (*http.Response, error) {
	switch req.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		for range 3 {
			resp, err := t.next.RoundTrip(req)
			if !flaky(resp, err) {
				return resp, err
			}
			toss(resp)
		}
		return nil, errShelf
	default:
		return t.next.RoundTrip(req)
	}
}

// SwitchLeaves: the cases of unsafe methods leave.
type SwitchLeaves struct{ next http.RoundTripper }

func (t *SwitchLeaves) RoundTrip(req *http.Request) (*http.Response, error) {
	switch req.Method {
	case http.MethodPost, http.MethodPatch:
		return t.next.RoundTrip(req)
	}
	for n := 0; ; n++ {
		resp, err := t.next.RoundTrip(req)
		if n == 2 || !flaky(resp, err) {
			return resp, err
		}
		toss(resp)
	}
}

// BySlice looks the method up in a list.
type BySlice struct{ next http.RoundTripper }

func (t *BySlice) RoundTrip(req *http.Request) (*http.Response, error) {
	if !slices.Contains(readMethods, req.Method) {
		return t.next.RoundTrip(req)
	}
	for n := 0; ; n++ {
		resp, err := t.next.RoundTrip(req)
		if n == 2 || !flaky(resp, err) {
			return resp, err
		}
		toss(resp)
	}
}

// MarkedOnce obeys a flag of the operation in the context.
type MarkedOnce struct{ next http.RoundTripper }

func (t *MarkedOnce) RoundTrip(req *http.Request) (*http.Response, error) {
	if once, _ := req.Context().Value(onceKey{}).(bool); once {
		return t.next.RoundTrip(req)
	}
	for n := 0; ; n++ {
		resp, err := t.next.RoundTrip(req)
		if n == 2 || !flaky(resp, err) {
			return resp, err
		}
		toss(resp)
	}
}

// MarkedSafe repeats only what the operation allows.
type MarkedSafe struct {
	next http.RoundTripper
	max  int
}

func (t *MarkedSafe) RoundTrip(req *http.Request) (*http.Response, error) {
	left := 0
	if req.Context().Value(safeKey{}) != nil {
		left = t.max
	}
	for {
		resp, err := t.next.RoundTrip(req)
		if left == 0 || !flaky(resp, err) {
			return resp, err
		}
		left--
		toss(resp)
	}
}

// MakesKey gives the request a key before the loop, unless it has one.
type MakesKey struct {
	next http.RoundTripper
	key  func() string
}

func (t *MakesKey) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	if req.Header.Get(keyHeader) == "" {
		req.Header.Set(keyHeader, t.key())
	}
	for n := 0; ; n++ {
		resp, err := t.next.RoundTrip(req)
		if n == 2 || !flaky(resp, err) {
			return resp, err
		}
		toss(resp)
	}
}

// Throttled waits for its turn: 429 is an order to come back, nothing was done.
type Throttled struct{ next http.RoundTripper }

func (t *Throttled) RoundTrip(req *http.Request) (*http.Response, error) {
	for n := 0; ; n++ {
		resp, err := t.next.RoundTrip(req)
		if err != nil || resp.StatusCode != http.StatusTooManyRequests || n == 5 {
			return resp, err
		}
		toss(resp)
		if err := rest(req.Context(), n); err != nil {
			return nil, err
		}
	}
}

// Dials repeats what never left.
type Dials struct{ next http.RoundTripper }

func (t *Dials) RoundTrip(req *http.Request) (*http.Response, error) {
	for n := 0; ; n++ {
		resp, err := t.next.RoundTrip(req)
		if err == nil || !neverSent(err) || n == 3 {
			return resp, err
		}
	}
}

// Renewing sends once more with a new token after a refusal.
type Renewing struct {
	next  http.RoundTripper
	token func(old string) string
}

func (t *Renewing) RoundTrip(req *http.Request) (*http.Response, error) {
	tok := t.token("")
	for n := 0; ; n++ {
		r, err := reopen(req)
		if err != nil {
			return nil, err
		}
		r.Header.Set("Authorization", "Bearer "+tok)
		resp, err := t.next.RoundTrip(r)
		if err != nil || resp.StatusCode != http.StatusUnauthorized || n == 1 {
			return resp, err
		}
		toss(resp)
		tok = t.token(tok)
	}
}

// Logging does not repeat at all.
type Logging struct{ next http.RoundTripper }

func (t *Logging) RoundTrip(req *http.Request) (*http.Response, error) {
	for k, vs := range req.Header {
		for _, v := range vs {
			println(k, v)
		}
	}
	return t.next.RoundTrip(req)
}

// DoSafe is an exported helper with a gate.
func DoSafe(hc *http.Client, req *http.Request) (*http.Response, error) {
	for n := 0; ; n++ {
		resp, err := hc.Do(req)
		if n == 3 || !flaky(resp, err) || !mayRepeat(req) {
			return resp, err
		}
		toss(resp)
	}
}

// SendSafe gets the method as a string, and asks it.
func SendSafe(ctx context.Context, hc *http.Client, method, url string, body []byte) error {
	tries := 1
	if harmless(method) {
		tries = 4
	}
	for n := range tries {
		req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
		if err != nil {
			return err
		}
		resp, err := hc.Do(req)
		if !flaky(resp, err) || n == tries-1 {
			return fail(resp, err)
		}
		toss(resp)
	}
	return errShelf
}

// SafeCatalogue writes through a layer with a gate.
type SafeCatalogue struct {
	hc   *http.Client
	base string
}

// NewSafeCatalogue puts ReadsOnly under it.
func NewSafeCatalogue(base string) *SafeCatalogue {
	return &SafeCatalogue{base: base, hc: &http.Client{Transport: &ReadsOnly{next: http.DefaultTransport}}}
}

// Lend writes; the layer sends it once.
func (s *SafeCatalogue) Lend(id string) error {
	return fail(s.hc.Post(s.base+"/loans/"+id, "application/json", nil))
}

// Return writes through DoSafe.
func (s *SafeCatalogue) Return(id string) error {
	req, err := http.NewRequest(http.MethodPost, s.base+"/returns/"+id, nil)
	if err != nil {
		return err
	}
	return fail(DoSafe(s.hc, req))
}

// readAgain repeats, has no gate, and is only given reads.
func readAgain(hc *http.Client, req *http.Request) (*http.Response, error) {
	for n := 0; ; n++ {
		resp, err := hc.Do(req)
		if n == 3 || !flaky(resp, err) {
			return resp, err
		}
		toss(resp)
	}
}

// Find reads.
func (s *SafeCatalogue) Find(id string) error {
	req, err := http.NewRequest(http.MethodGet, s.base+"/books/"+id, nil)
	if err != nil {
		return err
	}
	return fail(readAgain(s.hc, req))
}

// looped repeats without a gate; the gate is in Dispatch, its only caller.
func (s *SafeCatalogue) looped(req *http.Request) (*http.Response, error) {
	for n := 0; ; n++ {
		resp, err := s.hc.Do(req)
		if n == 3 || !flaky(resp, err) {
			return resp, err
		}
		toss(resp)
	}
}

// Dispatch chooses the way by the method.
func (s *SafeCatalogue) Dispatch(req *http.Request) (*http.Response, error) {
	if req.Method == http.MethodPost || req.Method == http.MethodPatch {
		return s.hc.Do(req)
	}
	return s.looped(req)
}

// Annotate hands a POST to Dispatch.
func (s *SafeCatalogue) Annotate(id string, text []byte) error {
	req, err := http.NewRequest(http.MethodPost, s.base+"/notes/"+id, bytes.NewReader(text))
	if err != nil {
		return err
	}
	return fail(s.Dispatch(req))
}

// keyed repeats without a gate; its only caller sets a key.
func keyed(hc *http.Client, req *http.Request) (*http.Response, error) {
	for n := 0; ; n++ {
		resp, err := hc.Do(req)
		if n == 3 || !flaky(resp, err) {
			return resp, err
		}
		toss(resp)
	}
}

// Fine takes money, with a key.
func (s *SafeCatalogue) Fine(key, reader string) error {
	req, err := http.NewRequest(http.MethodPost, s.base+"/fines/"+reader, nil)
	if err != nil {
		return err
	}
	req.Header.Set(keyHeader, key)
	return fail(keyed(s.hc, req))
}

// unused repeats, and nobody calls it.
func unused(hc *http.Client, req *http.Request) (*http.Response, error) {
	for n := 0; ; n++ {
		resp, err := hc.Do(req)
		if n == 3 || !flaky(resp, err) {
			return resp, err
		}
		toss(resp)
	}
}
