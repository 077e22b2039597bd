package resilience

import (
	"strings"
	"sync"
	"time"

	"github.com/failsafe-go/failsafe-go/circuitbreaker"
)

// breakers has the breaker of each authority, up to Breaker.Authorities of them.
type breakers struct {
	conf Breaker
	hook func(BreakerEvent)

	mu    sync.Mutex
	by    map[string]*breaker
	named map[string]bool // the authorities that events name
}

func newBreakers(conf Breaker, hook func(BreakerEvent)) *breakers {
	if conf == (Breaker{}) {
		return nil
	}
	return &breakers{conf: conf, hook: hook, by: make(map[string]*breaker), named: make(map[string]bool)}
}

// of returns the breaker of an authority, or nil when there are no breakers.
func (bs *breakers) of(authority string) *breaker {
	if bs == nil {
		return nil
	}
	bs.mu.Lock()
	defer bs.mu.Unlock()
	b := bs.by[authority]
	if b == nil {
		if len(bs.by) >= bs.conf.Authorities {
			bs.forget()
		}
		b = bs.make(authority)
		bs.by[authority] = b
	}
	b.used = time.Now()
	return b
}

// forget drops the breaker that was used longest ago. It looks at all of them,
// which only clients of more authorities than they declared pay for.
func (bs *breakers) forget() {
	var oldest string
	for a, b := range bs.by {
		if oldest == "" || b.used.Before(bs.by[oldest].used) {
			oldest = a
		}
	}
	delete(bs.by, oldest)
}

func (bs *breakers) make(authority string) *breaker {
	if !bs.named[authority] && len(bs.named) < bs.conf.Authorities {
		bs.named[authority] = true
	}
	b := &breaker{hook: bs.hook, label: other}
	if bs.named[authority] {
		b.label = authority
	}
	// Without a threshold the policy opens after the first failure.
	b.policy = circuitbreaker.NewBuilder[any]().
		WithFailureRateThreshold(bs.conf.FailureRatio, uint(bs.conf.MinRequests), bs.conf.Window).
		WithSuccessThreshold(1).
		WithDelay(bs.conf.OpenFor).
		OnStateChanged(b.changed).
		Build()
	return b
}

// breaker is failsafe-go's policy and what it does not do: a result counts only
// for the state in which its attempt began (a slow attempt from before the
// breaker opened is no probe), and an attempt that shows nothing (its caller
// has left) gives its place back.
type breaker struct {
	policy circuitbreaker.CircuitBreaker[any]
	hook   func(BreakerEvent)
	label  string
	used   time.Time // guarded by breakers.mu

	mu      sync.Mutex
	epoch   int            // counts changes of state
	changes []BreakerEvent // not yet told
}

// changed is called by the policy, while mu is held by who called it.
func (b *breaker) changed(e circuitbreaker.StateChangedEvent) {
	b.epoch++
	b.changes = append(b.changes, BreakerEvent{Authority: b.label, From: e.OldState.String(), To: e.NewState.String()})
}

// locked runs f, and tells of changes once mu is free: a hook may send a
// request through the same breaker.
func (b *breaker) locked(f func()) {
	b.mu.Lock()
	f()
	changes := b.changes
	b.changes = nil
	b.mu.Unlock()
	if b.hook != nil {
		for _, c := range changes {
			b.hook(c)
		}
	}
}

// name is what events call the authority.
func (b *breaker) name() string {
	if b == nil {
		return other
	}
	return b.label
}

// admit says whether an attempt may be sent. If so, settle must follow.
func (b *breaker) admit() (epoch int, ok bool) {
	if b == nil {
		return 0, true
	}
	told := false
	defer func() {
		if ok && !told { // the hook has panicked, and nothing will be sent
			b.settle(epoch, Failed, 0)
		}
	}()
	b.locked(func() {
		ok = b.policy.TryAcquirePermit()
		epoch = b.epoch
	})
	told = true
	return epoch, ok
}

// settle records how an attempt ended. All 5xx but 501 are failures of the
// authority; 429 is not: who can say that it is too much is well.
func (b *breaker) settle(epoch int, o Outcome, status int) {
	if b == nil {
		return
	}
	b.locked(func() {
		if epoch != b.epoch {
			return
		}
		switch {
		case o == AttemptExpired || o == Broken || status >= 500 && status != 501:
			b.policy.RecordFailure()
		case o == Responded || o == BadStatus:
			b.policy.RecordSuccess()
		case b.policy.IsHalfOpen():
			// The policy cannot take a permit back without a result. A probe
			// that shows nothing leaves things as they were: open.
			b.policy.Open()
		}
	})
}

// opens is how long the breaker lets nothing through.
func (b *breaker) opens() time.Duration {
	if b == nil {
		return 0
	}
	return b.policy.RemainingDelay()
}

// authorityOf is host and port of a URL, as RFC 3986 compares them: without
// case, and with the port that the scheme has by default.
func authorityOf(scheme, host string) string {
	host = strings.ToLower(host)
	if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
		return host
	}
	if strings.EqualFold(scheme, "https") {
		return host + ":443"
	}
	return host + ":80"
}
