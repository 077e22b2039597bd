// Package breakers makes circuit breakers.
package breakers

import (
	"net/http"
	"sync"
	"time"

	"github.com/eapache/go-resiliency/breaker"
	"github.com/sony/gobreaker/v2"
)

type client struct {
	hc *http.Client
	cb *gobreaker.CircuitBreaker[*http.Response]
	by map[string]*gobreaker.CircuitBreaker[*http.Response]
	mu sync.Mutex
}

var settings gobreaker.Settings

func (c *client) risky(url string) (*http.Response, error) {
	cb := gobreaker.NewCircuitBreaker[*http.Response](gobreaker.Settings{Name: "harbour"}) // want `this circuit breaker is made anew for every call`
	return cb.Execute(func() (*http.Response, error) { return c.hc.Get(url) })
}

func atOnce(url string) error {
	return breaker.New(3, 1, time.Second).Run(func() error { return ping(url) }) // want `no call ever finds it open`
}

func twoSteps(url string) error {
	cb := gobreaker.NewTwoStepCircuitBreaker[any](settings) // want `keep one for each dependency`
	done, err := cb.Allow()
	if err != nil {
		return err
	}
	err = ping(url)
	done(err)
	return err
}

func generic[T any](f func() (T, error)) (T, error) {
	cb := gobreaker.NewCircuitBreaker[T](settings) // want `made anew`
	return cb.Execute(f)
}

type short = gobreaker.CircuitBreaker[int]

func aliased(f func() (int, error)) (int, error) {
	var cb *short = gobreaker.NewCircuitBreaker[int](settings) // want `made anew`
	return cb.Execute(f)
}

// One for each element is one for each call.
func inLoop(urls []string) {
	for _, url := range urls {
		cb := breaker.New(3, 1, time.Second) // want `made anew`
		_ = cb.Run(func() error { return ping(url) })
	}
}

func chosen(strict bool, url string) error {
	cb := breaker.New(10, 1, time.Second) // want `made anew`
	if strict {
		cb = breaker.New(3, 1, time.Second) // want `made anew`
	}
	return cb.Run(func() error { return ping(url) })
}

func newHarbour() *breaker.Breaker { return breaker.New(3, 1, time.Second) }

func byHelper(url string) error {
	return newHarbour().Run(func() error { return ping(url) }) // want `made anew`
}

func handler() http.Handler {
	return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		cb := breaker.New(3, 1, time.Second) // want `made anew`
		_ = cb.Run(func() error { return ping(r.URL.Path) })
	})
}

// What follows is safe, or not known.

func New(hc *http.Client) *client {
	cb := gobreaker.NewCircuitBreaker[*http.Response](settings)
	_, _ = cb.Execute(func() (*http.Response, error) { return hc.Get("http://harbour.test/ready") })
	return &client{hc: hc, cb: cb}
}

func (c *client) inField(url string) (*http.Response, error) {
	return c.cb.Execute(func() (*http.Response, error) { return c.hc.Get(url) })
}

// Made when it is first needed.
func (c *client) lazy(url string) (*http.Response, error) {
	c.mu.Lock()
	cb := c.by[url]
	if cb == nil {
		cb = gobreaker.NewCircuitBreaker[*http.Response](settings)
		c.by[url] = cb
	}
	c.mu.Unlock()
	return cb.Execute(func() (*http.Response, error) { return c.hc.Get(url) })
}

var shared sync.Map

func (c *client) inSyncMap(url string) (*http.Response, error) {
	cb, _ := shared.LoadOrStore(url, gobreaker.NewCircuitBreaker[*http.Response](settings))
	return cb.(*gobreaker.CircuitBreaker[*http.Response]).Execute(func() (*http.Response, error) { return c.hc.Get(url) })
}

var (
	once sync.Once
	only *breaker.Breaker
)

func byOnce(url string) error {
	once.Do(func() {
		only = breaker.New(3, 1, time.Second)
		_ = only.Run(func() error { return ping("ready") })
	})
	return only.Run(func() error { return ping(url) })
}

// One job, many calls.
func job(urls []string) {
	cb := breaker.New(3, 1, time.Second)
	for _, url := range urls {
		_ = cb.Run(func() error { return ping(url) })
	}
}

func untilItWorks(url string) {
	cb := breaker.New(3, 1, time.Second)
again:
	if cb.Run(func() error { return ping(url) }) != nil {
		time.Sleep(time.Second)
		goto again
	}
}

func steps(url string) error {
	cb := breaker.New(1, 1, time.Second)
	if err := cb.Run(func() error { return ping(url + "/begin") }); err != nil {
		return err
	}
	return cb.Run(func() error { return ping(url + "/end") })
}

func workers(urls chan string) {
	cb := breaker.New(3, 1, time.Second)
	for range 4 {
		go func() {
			for url := range urls {
				_ = cb.Run(func() error { return ping(url) })
			}
		}()
	}
}

func wrap(next func(string) error) func(string) error {
	cb := breaker.New(3, 1, time.Second)
	return func(url string) error { return cb.Run(func() error { return next(url) }) }
}

func retried(url string, again func(func() error) error) error {
	cb := breaker.New(3, 1, time.Second)
	return again(func() error { return cb.Run(func() error { return ping(url) }) })
}

func given(url string) error {
	cb := breaker.New(3, 1, time.Second)
	register(cb)
	return cb.Run(func() error { return ping(url) })
}

func register(*breaker.Breaker) {}

func sent(out chan<- *breaker.Breaker, url string) error {
	cb := breaker.New(3, 1, time.Second)
	out <- cb
	return cb.Run(func() error { return ping(url) })
}

// It is kept by the helper.
var kept *breaker.Breaker

func keeping() *breaker.Breaker {
	if kept == nil {
		kept = breaker.New(3, 1, time.Second)
	}
	return kept
}

func byKeeper(url string) error { return keeping().Run(func() error { return ping(url) }) }

// Its counts lie with a store.
func distributed(store gobreaker.SharedDataStore, f func() (int, error)) (int, error) {
	cb, err := gobreaker.NewDistributedCircuitBreaker[int](store, settings)
	if err != nil {
		return 0, err
	}
	return cb.Execute(f)
}

func onlyAsked() gobreaker.State { return gobreaker.NewCircuitBreaker[int](settings).State() }

func ping(url string) error {
	resp, err := http.Get(url)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}
