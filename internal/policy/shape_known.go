package policy

import (
	"go/types"
	"strings"

	"github.com/resiliencevet/resiliencevet/internal/apis"
	"github.com/resiliencevet/resiliencevet/internal/ir"
)

// knownFunc is what is known of a function that is named somewhere.
type knownFunc struct {
	flags     ir.Flags
	sends     bool
	generates bool
	client    bool // a method of http.Client
	makes     bool // a client of a known library
	attempts  bool // sets how often a call is sent
	states    bool // or how long it may take, or through which client
	service   bool // a call of a client of a service
	hedges    bool // makes what sends a second attempt early
	pieces    bool // reads a piece of what comes
	renews    bool // a timer
	asks      bool // a scanner why it has ended
	decodes   bool // reads a JSON value: a piece, where a loop does it
	opens     bool // a stream of a known library
	breaks    bool // makes a circuit breaker, or hands one on
	ofBreaker bool // a function or method of a library that has them
	unlimits  bool // sets a number of attempts of which 0 is without a limit
	final     bool // marks an error as final
	// withContext says that it gives a retry library a context.
	withContext bool
	derives     bool
}

func (s *shapes) known(fn *types.Func) knownFunc {
	k, ok := s.named[fn]
	if !ok {
		k.flags = s.im.flags(fn)
		k.sends = isSend(fn) || k.flags&flagSends != 0
		k.derives = givesCancel(fn.Signature()) || k.flags&flagDerives != 0
		k.breaks = k.flags&flagBreaks != 0
		k.unlimits = k.flags&flagLimits != 0
		k.makes = k.flags&flagClient != 0
		if fn.Pkg() != nil {
			path := fn.Pkg().Path()
			k.generates = (path == "time" || path == "sync/atomic" || generatorPackages[path]) && generates(fn.FullName(), path, fn.Name())
			k.ofBreaker = fn.Pkg() != s.pass.Pkg && s.libraries != nil && !standardPath(path) && s.libraries.Has(path, apis.Breaker)
			for _, e := range s.rolesOf(fn, path) {
				k.breaks = k.breaks || e.Symbol.Role == apis.Breaker && ownsState(e)
				k.unlimits = k.unlimits || unlimits(e)
				k.states = k.states || statesPolicy(e) && fn.Signature().Recv() == nil
				k.final = k.final || e.Symbol.Role == apis.Final
				k.withContext = k.withContext || e.Symbol.Role == apis.WithContext
				switch e.Symbol.Role {
				case apis.NewClient, apis.Beneath:
					k.makes = true
				case apis.Attempts, apis.Disable:
					k.attempts = e.Library.API && fn.Signature().Recv() == nil
				case apis.Hedge:
					k.hedges = true
				case apis.Stream:
					k.pieces = true
				case apis.Call, apis.ModelCall, apis.ModelStream:
					k.opens = k.opens || e.Symbol.Role == apis.ModelStream
					k.service = e.Library.API && takes(fn.Signature(), e)
					k.sends = k.sends || takes(fn.Signature(), e)
				}
			}
			k.pieces = k.pieces || k.flags&flagReads != 0
			name := fn.FullName()
			k.decodes = name == decodeName
			k.renews, k.asks = name == "(*time.Timer).Reset", name == "(*bufio.Scanner).Err"
			k.pieces = k.pieces || pieceReaders[name] && !k.decodes
			k.client = path == "net/http" && strings.HasPrefix(fn.FullName(), "(*net/http.Client).")
		}
		s.named[fn] = k
	}
	return k
}
