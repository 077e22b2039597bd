// Package resilience is an http.RoundTripper that sends a request again only
// when that is safe, worth it, and there is time for it.
//
// A [Transport] puts these layers around a base transport, from the outside in:
//
//	concurrency limiter → total timeout → retry → hedging → circuit breaker per authority → attempt timeout → base
//
// Its timeouts end when the headers of the response are there; what bounds the
// body is the caller's context. A request whose method is not safe (RFC 9110
// section 9.2.1: all but GET, HEAD, OPTIONS and TRACE) is sent once, unless it
// carries an idempotency key: see [WithIdempotencyKey]. What a server does with
// such a key is in package idempotency.
//
// The package keeps no state of its own: breakers and the limiter belong to a
// Transport, so make one per kind of dependency and share it.
package resilience
