package policy

import (
	"go/types"
	"slices"
	"strings"

	"github.com/resiliencevet/resiliencevet/internal/flow"
	"github.com/resiliencevet/resiliencevet/internal/ir"
)

// keyState says whether an idempotency key travels with a request.
type keyState uint8

const (
	keyAbsent  keyState = iota
	keyGiven            // the caller gives the body, and may put one into it
	keyUnknown          // something unknown may have set one
	keyPresent
)

// keyHeaders are the header fields that servers take for idempotency keys, in
// canonical form. net/http.Transport itself acts on the first two
// (request.go:isReplayable, go1.26).
var keyHeaders = map[string]bool{
	"idempotency-key":          true,
	"x-idempotency-key":        true,
	"paypal-request-id":        true,
	"repeatability-request-id": true,
	// Not keys, but conditions: a server that honours them refuses the repeat
	// (RFC 9110 §13.1, §14.5; tus 1.0.0).
	"if-match":            true,
	"if-none-match":       true,
	"if-unmodified-since": true,
	"content-range":       true,
	"upload-offset":       true,
	// Ids of events: CloudEvents 1.0 (source and id), Standard Webhooks, Svix.
	"ce-id":             true,
	"webhook-id":        true,
	"svix-id":           true,
	"x-github-delivery": true,
	"x-delivery":        true,
}

// keyFields are names of body fields and parameters that carry such keys,
// lower case and without separators: idempotency_key, AWS's tokens, SQS's
// deduplication id, AIP-155's request_id.
var keyFields = map[string]bool{
	"idempotencykey":         true,
	"clienttoken":            true,
	"clientrequesttoken":     true,
	"idempotencytoken":       true,
	"messagededuplicationid": true,
	"requestid":              true,
	"idempotentkey":          true,
	"idempotencyid":          true,
	"dedupid":                true,
	"deduplicationid":        true,
	"clientrequestid":        true,
	// by which receivers of events, and exchanges, tell repeats
	"eventid":           true,
	"messageid":         true,
	"insertid":          true,
	"dedupkey":          true,
	"clientmutationid":  true,
	"clientorderid":     true,
	"newclientorderid":  true,
	"orderlinkid":       true,
	"clientreference":   true,
	"clientreferenceid": true,
}

// plainName returns a name in lower case, without separators.
func plainName(s string) string {
	plain := make([]byte, 0, 64)
	for i := range len(s) {
		switch c := s[i]; {
		case c == '_' || c == '-' || c == ' ':
		case 'A' <= c && c <= 'Z':
			plain = append(plain, c+'a'-'A')
		default:
			plain = append(plain, c)
		}
	}
	return string(plain)
}

// isKeyHeader and isKeyField recognise names. X-Request-Id and trace ids are
// no keys: as header names they are looked up whole.
func isKeyHeader(name string) bool {
	if !mayNameKey(name) {
		return false
	}
	n := strings.ToLower(name)
	if keyHeaders[n] {
		return true
	}
	for _, part := range keyHeaderParts {
		if strings.Contains(n, part) {
			return true
		}
	}
	return false
}

// keyHeaderParts are in the names of header fields by which a service of its
// own tells repeats, such as X-LaunchDarkly-Payload-ID.
var keyHeaderParts = []string{"idempot", "dedup", "payload-id", "event-id", "delivery-id", "message-id", "transaction-id", "mutation-id"}

func isKeyField(name string) bool {
	return mayNameKey(name) && (keyFields[plainName(name)] || isKeyHeader(name))
}

const (
	headerNote = 0x6b6579
	pathNote   = 0x70617468
)

// noteName notes that a name was set in something: a header, a form, a map.
func (p *probe) noteName(in, name, v *flow.Value, w *flow.World) {
	text, known := name.Str()
	if known && isKeyField(text) {
		noteKeyValue(w, in, v)
	}
	if isHeaderValue(in) {
		switch {
		case !known && clientWide(name):
			// headers that every request of a client gets hold no key of one
		case !known:
			markKey(w, in, keyUnknown)
		case isKeyHeader(text):
			markKey(w, in, keyPresent)
		}
		return
	}
	if known && isKeyField(text) {
		markKey(w, in, keyPresent)
		w.Mark(pathNote, flow.BoolValue(true))
	}
}

// clearKey forgets what was set in something: it is new, or the entry is deleted.
func clearKey(w *flow.World, in *flow.Value) {
	w.Unmark(flow.Mix(in.Sym, headerNote))
	w.Unmark(flow.Mix(in.Sym, keyValueNote))
}

// clientWide says whether a name is one of many that are kept in the receiver
// or a package variable: then they are set on every request alike.
func clientWide(name *flow.Value) bool {
	return name.Taint&flow.Config != 0 && name.Taint&flow.Element != 0 && name.Taint&flow.Param == 0
}

func markKey(w *flow.World, in *flow.Value, k keyState) {
	if k == keyAbsent {
		return
	}
	key := flow.Mix(in.Sym, headerNote)
	if old := w.Marked(key); old != nil {
		if n, _ := old.Int(); keyState(n) >= k {
			return
		}
	}
	w.MarkOn(in, key, flow.IntValue(int64(k)))
}

func markedKey(w *flow.World, in *flow.Value) keyState {
	if v := w.Marked(flow.Mix(in.Sym, headerNote)); v != nil {
		n, _ := v.Int()
		return keyState(n)
	}
	return keyAbsent
}

// headerObj is the Obj of an http.Header.
type headerObj struct{}

func isHeaderValue(v *flow.Value) bool {
	_, ok := v.Obj.(headerObj)
	return ok || v.Type != nil && isNamed(v.Type, "net/http", "Header")
}

// elsewhereKey says whether the path has filled a field or parameter that is
// named like a key: it may reach the body in ways that are not followed.
func elsewhereKey(w *flow.World) bool { return w.Marked(pathNote) != nil }

// noteKey looks at the arguments of a call for names of keys.
func (p *probe) noteKey(c *flow.Call) {
	args := c.Args
	if len(args) == 0 {
		return
	}
	if isHeaderArg(c) {
		name := shortName(c)
		if text, known := args[len(args)-1].Str(); name == "Del" && known && isKeyHeader(text) {
			clearKey(c.World, args[0])
		}
		if (name == "Set" || name == "Add") && len(args) >= 2 {
			if text, known := args[1].Str(); !known && clientWide(args[1]) {
				return
			} else if !known {
				markKey(c.World, args[0], keyUnknown)
			} else if isKeyHeader(text) && !emptyText(args[2:]) {
				markKey(c.World, args[0], keyPresent)
				noteKeyValue(c.World, args[0], args[2])
			}
			if len(args) > 2 { // a content type, an operation's name
				addParts(c.World, args[0], texts(c.World, args[2]))
			}
			if text, known := args[1].Str(); known && slices.Contains(readHeaders, strings.ToLower(text)) {
				addParts(c.World, args[0], []string{text})
			}
		}
		return
	}
	if n := calleeName(c); len(args) == 3 && (n == "(net/url.Values).Set" || n == "(net/url.Values).Add") {
		addParts(c.World, args[0], slices.Concat(texts(c.World, args[1]), texts(c.World, args[2])))
		if text, known := args[1].Str(); known && isKeyField(text) {
			noteKeyValue(c.World, args[0], args[2])
		}
	}
	if inModel(c) {
		return // its own calls are looked at when they run
	}
	for _, a := range args {
		if text, ok := a.Str(); ok && isKeyField(text) && !asksOnly(shortName(c)) {
			c.World.Mark(pathNote, flow.BoolValue(true))
		}
	}
	// A function value or an interface may be anybody's, such as a list of
	// request editors, and set headers of the request it is handed. So may code
	// that cannot be seen, but for what decorates every request alike.
	if _, sends := p.sendOf(c); sends || c.Callee != nil && (standardPath(c.Callee.Path) || decorates(c.Callee)) {
		return
	}
	for _, a := range args {
		if isRequest(a) || c.Callee != nil && isHeaderValue(a) {
			markKey(c.World, a, keyUnknown)
		}
	}
}

// decorates says whether a function is known, by its package or name, to add to
// a request what has nothing to do with the operation: traces, credentials.
func decorates(fn *ir.Function) bool {
	for _, p := range []string{"go.opentelemetry.io/", "go.opencensus.io", "github.com/opentracing/", "golang.org/x/oauth2", "github.com/aws/"} {
		if strings.HasPrefix(fn.Path, p) {
			return true
		}
	}
	name := strings.ToLower(fn.Name)
	for _, w := range []string{"auth", "sign", "trace", "inject", "log", "dump", "token", "useragent"} {
		if strings.Contains(name, w) {
			return true
		}
	}
	return false
}

// asksOnly says whether a method's name says that it reads.
func asksOnly(name string) bool {
	switch name {
	case "Get", "Values", "Has", "Del", "Delete", "Contains", "HasPrefix", "EqualFold":
		return true
	}
	return false
}

func emptyText(vs []*flow.Value) bool {
	if len(vs) == 0 {
		return false
	}
	s, ok := vs[0].Str()
	return ok && s == ""
}

func inModel(c *flow.Call) bool { return c.Callee != nil && c.Callee.HasBody() }

// isHeaderArg says whether the call is a method of http.Header.
func isHeaderArg(c *flow.Call) bool {
	return strings.HasPrefix(calleeName(c), "(net/http.Header).")
}

func isRequest(v *flow.Value) bool {
	switch v.Obj.(type) {
	case *requestObj, madeElsewhere:
		return true
	}
	return v.Type != nil && isPointerTo(v.Type, "net/http", "Request")
}

// requestObj is the Obj of a request made by net/http's constructors.
type requestObj struct {
	url          *flow.Value
	urls, bodies []string
	bodyKey      keyState
	keyValue     *flow.Value // in the body
	body         *flow.Value
	built        sendEvent
	again        bool // made after the first attempt
	path         bool // the caller gives a part of the URL
}

// requestKey says what is known of the key of a request that is about to be sent.
func (p *probe) requestKey(c *flow.Call, req *flow.Value) keyState {
	if elsewhereKey(c.World) {
		return keyPresent
	}
	k := markedKey(c.World, req)
	if shortName(c) != "RoundTrip" && (p.m.keyedTransport || p.m.im.keyed[globalPath(c.Args[0])]) {
		k = max(k, keyUnknown) // a transport of this package's, or of the client's, may add one
	}
	if r, ok := req.Obj.(*requestObj); ok && r.bodyKey > k {
		k = r.bodyKey
	}
	h := loadField(c, req, p.m.requestType(), "Header")
	if hk := markedKey(c.World, h); hk > k {
		k = hk
	}
	if h.Kind == flow.Unknown && h.Obj == nil && !req.Fresh {
		if k == keyAbsent {
			k = keyUnknown // the header was replaced by something unknown
		}
	}
	return k
}

// globalPath is the path of the package that a value is a variable of.
func globalPath(v *flow.Value) string {
	if v.Global == nil {
		return ""
	}
	full := v.Global.Full()
	return full[:max(strings.LastIndexByte(full, '.'), 0)]
}

// bodyKey looks for a key in what a body is made of.
func (p *probe) bodyKey(c *flow.Call, body *flow.Value, k keyState) keyState {
	for _, t := range texts(c.World, body) {
		if textHasKey(t) {
			return keyPresent
		}
	}
	if r, ok := body.Obj.(*madeOf); ok && r.key > k {
		k = r.key
	}
	return max(k, markedKey(c.World, body))
}

// textHasKey looks for the name of a key field in a text.
func textHasKey(t string) bool {
	plain := plainName(t)
	for f := range keyFields {
		if f != "requestid" && strings.Contains(plain, f) {
			return true
		}
	}
	return false
}

// encodedKey says whether a value carries a key when it is encoded: one of the
// fields that reach the wire has the name of one and is filled.
func encodedKey(w *flow.World, v *flow.Value, t types.Type, depth int) keyState {
	if t == nil || depth > 3 {
		return keyAbsent
	}
	if p, ok := types.Unalias(t).Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	st, ok := types.Unalias(t).Underlying().(*types.Struct)
	if !ok {
		return markedKey(w, v)
	}
	state := keyAbsent
	for i := range st.NumFields() {
		f := st.Field(i)
		name := jsonName(st.Tag(i))
		if name == "-" || !f.Exported() {
			continue
		}
		x := w.Get(flow.FieldAddr(v.Sym, i))
		if isKeyField(f.Name()) || isKeyField(name) {
			switch {
			case x == nil && v.Fresh, x != nil && isEmpty(x), x != nil && x.Kind == flow.Nil:
			case x == nil:
				state = max(state, keyUnknown)
			default:
				return keyPresent
			}
			continue
		}
		inner := &flow.Value{Sym: flow.FieldAddr(v.Sym, i), Fresh: v.Fresh}
		if x != nil {
			inner = x
		}
		state = max(state, encodedKey(w, inner, f.Type(), depth+1))
	}
	return state
}

func jsonName(tag string) string {
	_, rest, ok := strings.Cut(tag, `json:"`)
	if !ok {
		return ""
	}
	name, _, _ := strings.Cut(rest, `"`)
	name, _, _ = strings.Cut(name, ",")
	return name
}
