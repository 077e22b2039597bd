package silentloops

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Items: another page per round, the first failure ends it.
func (p *Printer) Items(ctx context.Context, pages []Page) error {
	for _, page := range pages {
		if err := p.print(ctx, page); err != nil {
			return err
		}
	}
	return nil
}

// ItemsLogged: a failure is logged, and the next page follows.
func (p *Printer) ItemsLogged(ctx context.Context, pages []Page) {
	for _, page := range pages {
		if err := p.print(ctx, page); err != nil {
			warn(err)
			continue
		}
	}
}

// ItemsByIndex: an index loop over them.
func (p *Printer) ItemsByIndex(ctx context.Context, pages []Page) (failed int) {
	for i := 0; i < len(pages); i++ {
		if err := p.print(ctx, pages[i]); err != nil {
			failed++
		}
	}
	return failed
}

// ItemsOfMap: over a map, path and body from it.
func (p *Printer) ItemsOfMap(ctx context.Context, trays map[string][]byte) error {
	var all error
	for tray, body := range trays {
		resp, err := p.post(ctx, "/trays/"+tray, body)
		if err != nil {
			all = errors.Join(all, err)
			continue
		}
		hush(resp)
	}
	return all
}

// Numbers: copies with a number each; the number names the operation.
func (p *Printer) Numbers(ctx context.Context, n int) error {
	for i := range n {
		resp, err := p.post(ctx, "/copies/"+strconv.Itoa(i), nil)
		if err != nil {
			return err
		}
		hush(resp)
	}
	return nil
}

// Chunks: slices.Chunk yields another batch every time.
func (p *Printer) Chunks(ctx context.Context, pages []Page) error {
	for batch := range slices.Chunk(pages, 10) {
		body, err := json.Marshal(batch)
		if err != nil {
			return err
		}
		resp, err := p.post(ctx, "/batches", body)
		if err != nil {
			return err
		}
		hush(resp)
	}
	return nil
}

// Endpoints: everyone gets the message, an answer does not end the loop.
func (p *Printer) Endpoints(hooks []string, news []byte) {
	for _, hook := range hooks {
		resp, err := p.hc.Post(hook, "application/json", bytes.NewReader(news))
		warn(err)
		hush(resp)
	}
}

// Trays: the first tray with paper wins; each round is another operation.
func (p *Printer) Trays(ctx context.Context, trays []string) error {
	for _, tray := range trays {
		body := []byte(`{"tray":"` + tray + `"}`)
		resp, err := p.post(ctx, "/jobs", body)
		if err != nil {
			return err
		}
		hush(resp)
		if resp.StatusCode == http.StatusCreated {
			return nil
		}
	}
	return errRefuse
}

// Cursor: pagination by POST.
func (p *Printer) Cursor(ctx context.Context) ([]Page, error) {
	var all []Page
	cursor := ""
	for {
		resp, err := p.post(ctx, "/pages/list", []byte(`{"after":"`+cursor+`"}`))
		if err != nil {
			return nil, err
		}
		var out struct {
			Pages []Page
			Next  string
		}
		err = json.NewDecoder(resp.Body).Decode(&out)
		hush(resp)
		if err != nil {
			return nil, err
		}
		all = append(all, out.Pages...)
		if out.Next == "" {
			return all, nil
		}
		cursor = out.Next
	}
}

// Offset: pagination by number in the path.
func (p *Printer) Offset(ctx context.Context) (n int, err error) {
	for off := 0; ; off += 50 {
		resp, err := p.post(ctx, fmt.Sprintf("/pages/list?offset=%d", off), nil)
		if err != nil {
			return n, err
		}
		var part []Page
		err = json.NewDecoder(resp.Body).Decode(&part)
		hush(resp)
		if err != nil || len(part) == 0 {
			return n, err
		}
		n += len(part)
	}
}

// Poll: asks for a state until it is there; an error ends it.
func (p *Printer) Poll(ctx context.Context, job string) error {
	for {
		resp, err := p.post(ctx, "/jobs/"+job+"/refresh", nil)
		if err != nil {
			return err
		}
		var st struct{ State string }
		err = json.NewDecoder(resp.Body).Decode(&st)
		hush(resp)
		if err != nil {
			return err
		}
		if st.State == "printed" {
			return nil
		}
		if err := nap(ctx, time.Second); err != nil {
			return err
		}
	}
}

// Worker: takes the next page from a channel.
func (p *Printer) Worker(ctx context.Context, in <-chan Page) {
	for page := range in {
		warn(p.print(ctx, page))
	}
}

// WorkerSelect: the same in a select.
func (p *Printer) WorkerSelect(ctx context.Context, in <-chan Page) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case page, ok := <-in:
			if !ok {
				return nil
			}
			if err := p.print(ctx, page); err != nil {
				warn(err)
				continue
			}
		}
	}
}

// Queue: pops from a slice until it is empty.
func (p *Printer) Queue(ctx context.Context, queue []Page) {
	for len(queue) > 0 {
		page := queue[0]
		queue = queue[1:]
		warn(p.print(ctx, page))
	}
}

// Next: asks a source for the next one.
func (p *Printer) Next(ctx context.Context, next func() (Page, bool)) {
	for {
		page, ok := next()
		if !ok {
			return
		}
		if err := p.print(ctx, page); err != nil {
			warn(err)
		}
	}
}

// Heartbeat: for ever on a ticker, after success as after failure.
func (p *Printer) Heartbeat(ctx context.Context) {
	t := time.NewTicker(time.Minute)
	defer t.Stop()
	for range t.C {
		resp, err := p.post(ctx, "/alive", nil)
		if err != nil {
			warn(err)
			continue
		}
		hush(resp)
	}
}

// HeartbeatSleep: for ever with a sleep, ended by the context.
func (p *Printer) HeartbeatSleep(ctx context.Context) {
	for ctx.Err() == nil {
		resp, err := p.post(ctx, "/alive", nil)
		warn(err)
		hush(resp)
		_ = nap(ctx, time.Minute)
	}
}

// Watch: subscribes anew whenever the stream ends, also when it ended well.
func (p *Printer) Watch(ctx context.Context, on func([]byte)) {
	for ctx.Err() == nil {
		resp, err := p.post(ctx, "/events/subscribe", nil)
		if err != nil {
			warn(err)
			_ = nap(ctx, time.Second)
			continue
		}
		buf := make([]byte, 4096)
		for {
			n, err := resp.Body.Read(buf)
			on(buf[:n])
			if err != nil {
				break
			}
		}
		hush(resp)
	}
}

// TokenOnce: one more send after an explicit refusal, with a new token.
func (p *Printer) TokenOnce(ctx context.Context, body []byte) (*http.Response, error) {
	resp, err := p.post(ctx, "/pages", body)
	if err != nil || resp.StatusCode != http.StatusUnauthorized {
		return resp, err
	}
	hush(resp)
	if err := p.renew(ctx); err != nil {
		return nil, err
	}
	return p.post(ctx, "/pages", body)
}

// TokenLoop: the same, written as a loop of two.
func (p *Printer) TokenLoop(ctx context.Context, body []byte) error {
	for try := 0; try < 2; try++ {
		resp, err := p.post(ctx, "/pages", body)
		if err != nil {
			return err
		}
		hush(resp)
		if resp.StatusCode == http.StatusUnauthorized && try == 0 {
			if err := p.renew(ctx); err != nil {
				return err
			}
			continue
		}
		if resp.StatusCode >= 400 {
			return errRefuse
		}
		return nil
	}
	return errRefuse
}

// TokenRecursive: the same, written as a recursion.
func (p *Printer) TokenRecursive(ctx context.Context, body []byte, renewed bool) (*http.Response, error) {
	resp, err := p.post(ctx, "/pages", body)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode == http.StatusUnauthorized && !renewed {
		hush(resp)
		if err := p.renew(ctx); err != nil {
			return nil, err
		}
		return p.TokenRecursive(ctx, body, true)
	}
	return resp, nil
}

// BadNonce: the server names the nonce that it wants.
func (p *Printer) BadNonce(ctx context.Context, body []byte) (*http.Response, error) {
	for range 3 {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.base+"/signed", bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		req.Header.Set("Replay-Nonce", p.nonce)
		resp, err := p.hc.Do(req)
		if err != nil {
			return nil, err
		}
		if n := resp.Header.Get("Replay-Nonce"); resp.StatusCode == http.StatusBadRequest && n != "" {
			hush(resp)
			p.nonce = n
			continue
		}
		return resp, nil
	}
	return nil, errRefuse
}

// Redirect: goes where the server points, with the same body.
func (p *Printer) Redirect(ctx context.Context, body []byte) (*http.Response, error) {
	target := p.base + "/pages"
	for range 10 {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, target, bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		resp, err := p.hc.Do(req)
		if err != nil {
			return nil, err
		}
		if resp.StatusCode != http.StatusTemporaryRedirect {
			return resp, nil
		}
		hush(resp)
		target = resp.Header.Get("Location")
	}
	return nil, errRefuse
}

// Smaller: half of the pages after 413.
func (p *Printer) Smaller(ctx context.Context, pages []Page) error {
	for size := len(pages); size > 0; size /= 2 {
		body, err := json.Marshal(pages[:size])
		if err != nil {
			return err
		}
		resp, err := p.post(ctx, "/batches", body)
		if err != nil {
			return err
		}
		hush(resp)
		if resp.StatusCode != http.StatusRequestEntityTooLarge {
			return nil
		}
	}
	return errRefuse
}

// Versions: an older protocol when the newer is not there.
func (p *Printer) Versions(ctx context.Context, body []byte) (*http.Response, error) {
	for _, v := range []string{"/v3/pages", "/v2/pages", "/v1/pages"} {
		resp, err := p.post(ctx, v, body)
		if err != nil {
			return nil, err
		}
		if resp.StatusCode == http.StatusNotFound || resp.StatusCode == http.StatusUnsupportedMediaType {
			hush(resp)
			continue
		}
		return resp, nil
	}
	return nil, errRefuse
}

// Encodings: without compression after 415.
func (p *Printer) Encodings(ctx context.Context, packed, raw []byte) (*http.Response, error) {
	resp, err := p.post(ctx, "/packed", packed)
	if err == nil && resp.StatusCode == http.StatusUnsupportedMediaType {
		hush(resp)
		return p.post(ctx, "/raw", raw)
	}
	return resp, err
}

// FanOut: one goroutine per page.
func (p *Printer) FanOut(ctx context.Context, pages []Page) error {
	var wg sync.WaitGroup
	errs := make([]error, len(pages))
	for i, page := range pages {
		wg.Go(func() { errs[i] = p.print(ctx, page) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// Agent: a conversation that grows; every round sends something else.
func (p *Printer) Agent(ctx context.Context, talk []string, act func(string) string) error {
	for range 12 {
		body, err := json.Marshal(talk)
		if err != nil {
			return err
		}
		resp, err := p.post(ctx, "/advice", body)
		if err != nil {
			return err
		}
		b, err := io.ReadAll(resp.Body)
		hush(resp)
		if err != nil {
			return err
		}
		if len(b) == 0 {
			return nil
		}
		talk = append(talk, string(b), act(string(b)))
	}
	return errors.New("too many rounds")
}

// Throttled: only 429 goes round.
func (p *Printer) Throttled(ctx context.Context, body []byte) error {
	for range 5 {
		resp, err := p.post(ctx, "/pages", body)
		if err != nil {
			return err
		}
		hush(resp)
		if resp.StatusCode == http.StatusTooManyRequests {
			if err := nap(ctx, time.Second); err != nil {
				return err
			}
			continue
		}
		if resp.StatusCode >= 400 {
			return errRefuse
		}
		return nil
	}
	return errBusy
}

// ThrottledError: 429 comes back as an error value of its own.
func (p *Printer) ThrottledError(ctx context.Context, page Page) error {
	for n := 0; ; n++ {
		err := p.print(ctx, page)
		if !errors.Is(err, errBusy) || n == 4 {
			return err
		}
		if err := nap(ctx, time.Second); err != nil {
			return err
		}
	}
}

// Dial: only when no connection was made, told in place.
func (p *Printer) Dial(ctx context.Context, body []byte) (*http.Response, error) {
	for n := 0; ; n++ {
		resp, err := p.post(ctx, "/pages", body)
		var op *net.OpError
		if n < 3 && errors.As(err, &op) && op.Op == "dial" {
			continue
		}
		return resp, err
	}
}

// DialHelper: told by a helper.
func (p *Printer) DialHelper(ctx context.Context, body []byte) (*http.Response, error) {
	for n := 0; ; n++ {
		resp, err := p.post(ctx, "/pages", body)
		if err == nil || !neverLeft(err) || n == 3 {
			return resp, err
		}
	}
}

// Refused: ECONNREFUSED, for as long as the service starts.
func (p *Printer) Refused(ctx context.Context, body []byte) (*http.Response, error) {
	for {
		resp, err := p.post(ctx, "/pages", body)
		if err != nil && refused(err) && ctx.Err() == nil {
			_ = nap(ctx, 200*time.Millisecond)
			continue
		}
		return resp, err
	}
}

// Conflict: a named create that somebody else holds; 409 says that nothing was made.
func (p *Printer) Conflict(ctx context.Context, name string) error {
	body := []byte(`{"name":"` + name + `"}`)
	for range 5 {
		resp, err := p.post(ctx, "/queues", body)
		if err != nil {
			return err
		}
		hush(resp)
		if resp.StatusCode != http.StatusConflict {
			return nil
		}
		if err := nap(ctx, time.Second); err != nil {
			return err
		}
	}
	return errBusy
}

// Get: the plainest retry, of a read.
func (p *Printer) Get() (*http.Response, error) {
	var err error
	for range 3 {
		var resp *http.Response
		if resp, err = p.hc.Get(p.base + "/status"); err == nil {
			return resp, nil
		}
	}
	return nil, err
}

// Head: the same with HEAD and a request.
func (p *Printer) Head(ctx context.Context) error {
	for n := 0; n < 3; n++ {
		req, err := http.NewRequestWithContext(ctx, http.MethodHead, p.base+"/status", nil)
		if err != nil {
			return err
		}
		resp, err := p.hc.Do(req)
		if err == nil && resp.StatusCode < 500 {
			hush(resp)
			return nil
		}
		hush(resp)
	}
	return errBusy
}

// Ready: waits until the service answers, then writes once.
func (p *Printer) Ready(ctx context.Context, body []byte) (*http.Response, error) {
	for {
		resp, err := p.hc.Get(p.base + "/ready")
		if err == nil {
			hush(resp)
			break
		}
		if err := nap(ctx, time.Second); err != nil {
			return nil, err
		}
	}
	return p.post(ctx, "/pages", body)
}

// OneAttempt: a loop that runs a single time.
func (p *Printer) OneAttempt(ctx context.Context, body []byte) error {
	const attempts = 1
	var err error
	for i := 0; i < attempts; i++ {
		var resp *http.Response
		if resp, err = p.post(ctx, "/pages", body); err == nil {
			hush(resp)
			return nil
		}
	}
	return err
}

// BreaksOnError: success goes round, any failure leaves.
func (p *Printer) BreaksOnError(ctx context.Context) (n int) {
	for n < 100 {
		resp, err := p.post(ctx, "/pages/pop", nil)
		if err != nil {
			break
		}
		hush(resp)
		if resp.StatusCode >= 300 {
			break
		}
		n++
	}
	return n
}

// BuildAgain: only the building of the payload is tried again.
func (p *Printer) BuildAgain(ctx context.Context, render func() ([]byte, error)) (*http.Response, error) {
	var last error
	for range 3 {
		body, err := render()
		if err != nil {
			last = err
			continue
		}
		return p.post(ctx, "/pages", body)
	}
	return nil, last
}

// ReadAgain: one POST, and then the result is fetched until it is there.
func (p *Printer) ReadAgain(ctx context.Context, body []byte) (*http.Response, error) {
	resp, err := p.post(ctx, "/jobs", body)
	if err != nil {
		return nil, err
	}
	hush(resp)
	for range 20 {
		got, err := p.hc.Get(p.base + resp.Header.Get("Location"))
		if err == nil && got.StatusCode == http.StatusOK {
			return got, nil
		}
		hush(got)
		if err := nap(ctx, time.Second); err != nil {
			return nil, err
		}
	}
	return nil, errBusy
}

// Handler: a server loop is not a client.
func Handler(conns <-chan net.Conn) {
	for c := range conns {
		req := &http.Request{Method: http.MethodPost}
		if err := req.Write(c); err != nil {
			warn(err)
			continue
		}
		c.Close()
	}
}
