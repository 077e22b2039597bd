// Package resilience is an http.RoundTripper that sends a request again only
// when that is safe, worth it, and there is time for it, and a reader of streamed
// answers under budgets.
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
// A [Stream] bounds what a Transport does not: the reading of an answer that
// comes in pieces. It has a budget for the first content, one for the time
// between two, and one for the whole; it knows event streams, lines, JSON in
// lines, and the streams of SDKs.
//
// The package keeps no state of its own: breakers and the limiter belong to a
// Transport, so make one per kind of dependency and share it.
package resilience
