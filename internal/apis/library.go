package apis

import "time"

// A Library is what one module does, in a range of its versions, where the
// model needs it and the source that calls it does not show it.
type Library struct {
	Name string // as messages say it: "openai-go"
	// Module is the module's path. One that ends in "/*" stands for every module
	// directly below, as AWS has one for each of its services.
	Module string
	// Since and Before bound the versions for which this holds (semantic
	// versions, "" for no bound): Since is the first, Before the first for which
	// it does not hold any more.
	Since, Before string
	Read          string // the version whose source was read, and which the tests run
	// API says that the library is the client of one service: what it sends, and
	// how often, is known from here only, not from following its code.
	API      bool
	Policies []Policy
	Symbols  []Symbol
}

// Unlimited is a number of attempts that has no bound.
const Unlimited = -1

// A Policy says how often, and after which failures, a library sends again, or
// calls again what it is given.
type Policy struct {
	Name string // unique in the library, and what Symbol.Policy names
	// Attempts is the default, the first one counted: 1 where nothing is repeated
	// unless it is asked for, Unlimited, or 0 where the caller always says it.
	Attempts int
	Elapsed  time.Duration // after so long no other attempt is planned; 0 for no such bound
	Methods  []string      // the methods that are sent again; nil for all of them
	After    Failure       // what is tried again by default
	// Wait is the pause before the second attempt, before jitter; Longest bounds
	// every pause (0 for none); Factor is what a pause is multiplied by for the
	// next, 0 where there is no one factor.
	Wait, Longest time.Duration
	Factor        float64
	Jitter        bool
	RetryAfter    RetryAfter
	Context       Heard // whether a wait ends with the context
	Body          Body  // what the second attempt sends of a body
	// Timeout is that of the http.Client which is used unless one is given: it ends an
	// attempt, its body included. 0 for none.
	Timeout time.Duration
	// Keyed says that every call that writes carries an idempotency key, the same one
	// in all of its attempts, which the library makes if the caller gives none.
	Keyed  bool
	Source string // file:function in the version that was read
}

// A Failure is a set of outcomes that are tried again.
type Failure uint16

// The outcomes. Every is what a function that repeats a closure does with its
// errors; Marked are those that the closure marks for it.
const (
	NoAnswer          Failure = 1 << iota // connection errors, resets, timeouts
	RequestTimeout                        // 408
	Conflict                              // 409
	TooManyRequests                       // 429
	ServerError                           // 500
	Unavailable                           // 502, 503, 504
	OtherServerErrors                     // 5xx beyond these, 501 aside
	Every
	Marked
	Success // asked again until something has happened: polling
	// Garbled is an answer that is not what the API sends: the page of a proxy, or
	// a body that breaks off.
	Garbled
	TimedOut // a timeout, where nothing else of NoAnswer is tried again
	Asked    // an answer whose Retry-After asks for it
)

// RetryAfter says which forms of the header a library obeys.
type RetryAfter uint8

// Seconds and Date are the two forms of RFC 9110, section 10.2.3.
const (
	Seconds RetryAfter = 1 << iota
	Date
	Milliseconds // Retry-After-Ms and the like, which the RFC does not have
)

// Heard says whether a wait between attempts ends when the context does.
type Heard uint8

const (
	Deaf     Heard = iota // it sleeps
	OnOption              // only with an option or a wrapper that carries the context
	Hears
	Varies // with the version, and which one it is is not known
)

// A Body is what becomes of a request's body in the second attempt.
type Body uint8

const (
	NoBody          Body = iota // the library knows nothing of bodies
	Rewound                     // sent again from its beginning
	Consumed                    // what is left of it is sent, which is nothing
	Refused                     // the call fails, or is not repeated
	ReadersConsumed             // what the library has encoded itself is Rewound, a reader of the caller's is Consumed
)

// A Symbol is one function, method or field and what it is for.
type Symbol struct {
	Package string // below the module's path: "", "option"
	// Name is "Func", "Type.Field", "Type.Method", whichever of pointer or value
	// the receiver is, or "Type", which stands for its composite literals, or "Var".
	// "Type.*" stands for all methods of a type with the parameter types that
	// Takes names, "*.*" for those of all types.
	Name string
	Role Role
	// Policy is the name of the policy that the symbol makes, runs or changes.
	Policy string
	// Arg is the argument that the role is about, the receiver not counted: the
	// closure, the number, the client or transport, the key. None for none.
	Arg int
	// Context is the argument that carries the context, or None.
	Context int
	// Takes is the type of the variadic options, for a Name with a star: the path
	// below the module and the name, "option.RequestOption", where aliases are
	// resolved, or "func(*Options)" for such functions on a type of the symbol's own
	// package, or "context.Context" for methods that take a context first and return
	// an error last, whatever their options are.
	Takes string
	// Count says how a number in Arg is read (role Attempts).
	Count Count
	// Covers says what a Timeout bounds.
	Covers Covers
	// Limit is what a Call ends each of its attempts by of itself, 0 for nothing.
	Limit time.Duration
}

// None is no argument.
const None = -1

// A Count says what a number means, or the length of a slice. A function that is for a number and has none
// among its arguments (Arg is None) is read as if it were given 0.
type Count struct {
	Plus     int // attempts = the number + Plus: 1 where it counts retries
	Zero     Meaning
	Negative Meaning
}

// A Meaning is what a special number stands for.
type Meaning uint8

const (
	AsCounted Meaning = iota // what Plus makes of it; nothing is sent if that is not above 0
	Default
	Off
	NoLimit
	Panics // or fails, where the constructor returns an error
)

// Covers says what a timeout bounds.
type Covers uint8

const (
	EachAttempt  Covers = iota + 1 // an attempt, its body included
	EachHeaders                    // an attempt until its headers
	WholeCall                      // all attempts and waits, and the body
	BetweenReads                   // an idle timeout
)

// A Role is what a symbol is for.
type Role uint8

const (
	// RetryFunc calls its argument Arg again.
	RetryFunc Role = iota + 1
	// Call sends a request under the policy of its receiver.
	Call
	// ModelCall is a Call that asks a language model.
	ModelCall
	// ModelStream is a ModelCall whose answer comes in pieces.
	ModelStream
	// NewClient makes a client or transport with Policy; Arg is the client or
	// transport beneath, or None.
	NewClient
	// AsHTTP makes an *http.Client or http.RoundTripper that has the receiver's policy.
	AsHTTP
	// NewPolicy makes what a RetryFunc or a NewClient is given.
	NewPolicy
	// Attempts sets the number of attempts: option, setter, field or wrapper of a policy.
	Attempts
	// Disable turns the policy off.
	Disable
	// Methods says that unsafe methods are repeated too (Arg: a bool), or gives a filter.
	Methods
	// Condition replaces or adds what is tried again.
	Condition
	// Beneath gives the HTTP client or transport that a client sends with.
	Beneath
	// PerAttempt is code that runs once for every attempt.
	PerAttempt
	// Key carries an idempotency key.
	Key
	// Header sets a header, whose name is Arg and whose value follows.
	Header
	// Generator makes a value that is new each time.
	Generator
	// Timeout bounds what Covers says.
	Timeout
	// WithContext carries a context to a policy that hears it only so.
	WithContext
	// Stream reads an answer piece by piece.
	Stream
	// Breaker makes a circuit breaker.
	Breaker
	// Hedge sends a second attempt before the first has failed.
	Hedge
	// Elapsed sets the time after which no other attempt is planned; Count says what a
	// duration of zero means.
	Elapsed
	// Again marks an error that is tried again, for a policy that does so after
	// Marked ones only.
	Again
	// Final marks an error that is not tried again.
	Final
	// WithPolicy takes the policy that it retries by in Arg: what NewPolicy made,
	// or a function that returns it; the last argument, where it is variadic, takes
	// several.
	WithPolicy

	lastRole = WithPolicy
)
