package idempotency_test

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/resiliencevet/resiliencevet/resilience"
	"github.com/resiliencevet/resiliencevet/resilience/idempotency"
)

// A hundred requests with one key, half of them to each of two instances that
// share a database file: the work is done once, and all get its response.
func TestHundredRepeatsOnTwoInstances(t *testing.T) {
	file := filepath.Join(t.TempDir(), "keys.db")
	var runs atomic.Int32
	work := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		n := runs.Add(1)
		time.Sleep(50 * time.Millisecond) // long enough for the others to come
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, "charge %d", n)
	})
	var urls []string
	for range 2 {
		o := options()
		o.Store = idempotency.NewSQL(open(t, file), false)
		o.Wait, o.Poll = time.Minute, 20*time.Millisecond
		ts := httptest.NewServer(handler(t, work, o))
		t.Cleanup(ts.Close)
		urls = append(urls, ts.URL)
	}
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	var fresh, replayed atomic.Int32
	var wg sync.WaitGroup
	for n := range 100 {
		wg.Go(func() {
			status, body, again, err := post(client, urls[n%2], "k", "12")
			if err != nil || status != 201 || body != "charge 1" {
				t.Errorf("%d %q %v", status, body, err)
			}
			if again {
				replayed.Add(1)
			} else {
				fresh.Add(1)
			}
		})
	}
	wg.Wait()
	if runs.Load() != 1 || fresh.Load() != 1 || replayed.Load() != 99 {
		t.Errorf("%d executions, %d fresh responses, %d replayed; want 1, 1, 99", runs.Load(), fresh.Load(), replayed.Load())
	}
}

func post(client *http.Client, url, key, body string) (status int, text string, replayed bool, err error) {
	req, err := http.NewRequest("POST", url+"/pay", strings.NewReader(body))
	if err != nil {
		return 0, "", false, err
	}
	req.Header.Set(resilience.KeyHeader, key)
	resp, err := client.Do(req)
	if err != nil {
		return 0, "", false, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(b), resp.Header.Get(idempotency.ReplayedHeader) == "true", err
}

// The environment variables that make this test binary an instance of the
// service: its database, and where in the work it stops to be killed.
const childFile, childStop = "IDEMPOTENCY_TEST_FILE", "IDEMPOTENCY_TEST_STOP"

// provider is who has the money: a table that charges are written to.
type provider struct{ db *sql.DB }

const charges = `CREATE TABLE IF NOT EXISTS charges (key TEXT NOT NULL)`

func (p provider) charge(key string) error {
	_, err := p.db.Exec(`INSERT INTO charges VALUES (?)`, key)
	return err
}

func (p provider) count(key string) (n int, err error) {
	return n, p.db.QueryRow(`SELECT count(*) FROM charges WHERE key = ?`, key).Scan(&n)
}

// instance is the service over a database file. stop is called before and after the charge.
func instance(t *testing.T, file string, stop func(where string)) (*idempotency.Handler, provider) {
	db := open(t, file)
	if _, err := db.Exec(charges); err != nil {
		t.Fatal(err)
	}
	p := provider{db}
	o := options()
	o.Work = 400 * time.Millisecond
	o.Store = idempotency.NewSQL(db, false)
	o.Reconcile = func(_ context.Context, rec idempotency.Record) (idempotency.State, *idempotency.Response, error) {
		n, err := p.count(strings.TrimSpace(rec.Key))
		if err != nil {
			return idempotency.Unknown, nil, err
		}
		if n > 0 {
			return idempotency.Charged, &idempotency.Response{Status: 201, Body: []byte("charged, says the provider")}, nil
		}
		return idempotency.Failed, nil, nil
	}
	return handler(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key, _ := idempotency.Key(r.Context())
		stop("claimed")
		if err := p.charge(key); err != nil {
			t.Error(err)
		}
		stop("charged")
		w.WriteHeader(201)
		_, _ = io.WriteString(w, "charged")
	}), o), p
}

// TestInstance is no test: it is the instance that TestKilled starts and kills.
func TestInstance(t *testing.T) {
	file, where := os.Getenv(childFile), os.Getenv(childStop)
	if file == "" {
		t.Skip("only as a process of its own")
	}
	h, _ := instance(t, file, func(at string) {
		if at == where {
			fmt.Println(at)
			select {} // until it is killed
		}
	})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println(ln.Addr())
	t.Fatal(http.Serve(ln, h))
}

// An instance dies by kill -9, between claim and charge or between charge and
// record. Another one does not guess: repeats are turned away while the claim
// may be alive, the outcome is unknown after that, and then what the provider says.
func TestKilled(t *testing.T) {
	for _, c := range []struct {
		where    string
		reply    string
		replayed bool
	}{
		{"claimed", "charged", false},                   // no charge was made: the repeat makes it
		{"charged", "charged, says the provider", true}, // there was one: the repeat hears of it
	} {
		t.Run(c.where, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "keys.db")
			kill(t, file, c.where)

			// Without who knows, the outcome stays unknown.
			o := options()
			o.Work = 400 * time.Millisecond
			o.Store = idempotency.NewSQL(open(t, file), false)
			deaf := handler(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the work was done again") }), o)
			for state := range states(deaf) {
				if state == "other" {
					t.Fatal("a repeat was neither told that work is under way nor that its outcome is unknown")
				}
				if state == "unknown" {
					break
				}
			}
			want(t, pay(deaf, "k", "12"), 409, false, "not known")
			want(t, pay(deaf, "k", "12"), 409, false, "not known")

			// With, it is settled, and there is one charge.
			h, p := instance(t, file, func(string) {})
			want(t, pay(h, "k", "12"), 201, c.replayed, c.reply)
			want(t, pay(h, "k", "12"), 201, true, c.reply)
			if n, err := p.count("k"); n != 1 || err != nil {
				t.Errorf("%d charges, %v; want 1", n, err)
			}
		})
	}
}

// kill starts an instance, sends it a payment, and kills it in the midst.
func kill(t *testing.T, file, where string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestInstance$", "-test.v")
	cmd.Env = append(os.Environ(), childFile+"="+file, childStop+"="+where)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	next := func(prefix string) string {
		for lines.Scan() {
			if strings.HasPrefix(lines.Text(), prefix) {
				return lines.Text()
			}
		}
		t.Fatalf("the instance said no %q: %v", prefix, lines.Err())
		return ""
	}
	addr := next("127.0.0.1:")
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	broke := make(chan error)
	go func() {
		_, _, _, err := post(client, "http://"+addr, "k", "12")
		broke <- err
	}()
	next(where)
	if err := cmd.Process.Kill(); err != nil { // SIGKILL
		t.Fatal(err)
	}
	_ = cmd.Wait() // "signal: killed"
	if err := <-broke; err == nil {
		t.Error("the client of the killed instance got an answer")
	}
}

// states sends repeats until the loop that ranges over it ends, and yields what they are told.
func states(h http.Handler) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for range 1000 {
			w := pay(h, "k", "12")
			state := "other"
			switch {
			case w.Code == 409 && strings.Contains(w.Body.String(), "under way"):
				state = "started"
			case w.Code == 409:
				state = "unknown"
			}
			if !yield(state) {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
}
