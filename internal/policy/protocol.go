package policy

import (
	"slices"
	"strings"
)

// nature says what an operation does, as far as constants tell.
type nature uint8

const (
	writes     nature = iota
	reads             // a read, or a write that is idempotent by its protocol
	generation        // a language model's answer: it costs money, not state
)

// readPaths are parts of URLs whose POST reads, or repeats without harm.
var readPaths = []string{
	"_search", "_msearch", "_count", "_mget", "_field_caps", "_sql", // Elasticsearch
	"query_range", "/api/v1/query", "/api/v1/series", "/api/v1/labels", // Prometheus
	"/api/v1/write", "/api/v1/push", "/loki/api/v1/push", // remote write: a sample twice is one
	"/v1/traces", "/v1/metrics", "/v1/logs", // OTLP
	"oauth/token", "oauth2/token", "oauth/v2/token", "/introspect",
	"select-type=2", "select&", // S3 Select
	"/blobs/uploads/", // OCI: a second session is dropped
	"new-order", "new-acct", "new-nonce",
	"/api/v2/write", "/metrics/job", // InfluxDB, Pushgateway: the same again overwrites
	"tokenreviews", "subjectaccessreviews", "selfsubjectaccessreviews", // Kubernetes asks
	":find", "/ocsp", "/dns-query", "git-upload-pack", "/objects/batch", "dryrun=", "dry_run=", "dry-run=",
}

// readEnds are such parts where the URL's path ends with them.
var readEnds = []string{
	"/search", "/query", "/lookup", "/list", "/filter", "/validate", "/verify", "/count", "/batchget", "/batch-get", ":batchget", ":search", ":query",
	"/token", "/authorize", "/login", "/signin", "/auth", "/session", "/embeddings", "/rerank", "/tokenize", "/render",
}

// readTypes are content types of requests that ask, or that say what should be
// rather than what to do: RFC 6960, RFC 8484, RFC 7396, Kubernetes' apply, Git.
var readTypes = []string{
	"application/ocsp-request", "application/dns-message", "application/merge-patch+json", "application/apply-patch+yaml",
	"application/x-git-upload-pack-request", "application/sparql-query",
	// Remote write, Loki's push and OTLP over HTTP: a sample or a line twice is one.
	"application/x-protobuf",
}

// readHeaders are header fields of such protocols alone: Prometheus remote write,
// and the tenant of Loki, Mimir, Tempo and Cortex.
var readHeaders = []string{"x-prometheus-remote-write-version", "x-scope-orgid"}

// generationPaths are the endpoints of language models.
var generationPaths = []string{
	"/completions", "/v1/messages", "/v1/responses", ":generatecontent", ":streamgeneratecontent", "/api/generate", "/api/chat",
	"/images/generations", "/audio/speech", "/v1/complete",
}

// readVerbs begin the names of functions that read.
var readVerbs = []string{
	"get", "list", "search", "query", "find", "fetch", "retrieve", "lookup", "count", "read", "describe", "validate", "verify", "check",
	"auth", "login", "refreshtoken", "introspect", "embed", "tokenize", "render", "scan", "ping", "health", "select", "poll", "exists", "has", "is", "download",
}

// writeWords after "And" or "Or" in such a name say that it does more than
// read. (Without these they may be nouns: ListOrders.)
var writeWords = []string{
	"Create", "Charge", "Book", "Buy", "Delete", "Lock", "Insert", "Pay", "Transfer", "Save", "Post", "Send", "Order", "Submit", "Purchase", "Capture",
	"Update", "Add", "Remove", "Cancel", "Refund", "Reserve", "Write", "Register", "Issue", "Set", "Store", "Make",
}

// natureOf tells reads from writes by the constant parts of URL and body.
func natureOf(urls, bodies []string) nature {
	url := strings.ToLower(strings.Join(urls, " "))
	for _, p := range generationPaths {
		if strings.Contains(url, p) {
			return generation
		}
	}
	body := strings.ToLower(strings.Join(bodies, " "))
	for _, t := range slices.Concat(readTypes, readHeaders) {
		if strings.Contains(body, t) {
			return reads
		}
	}
	for _, b := range bodies {
		if strings.HasPrefix(strings.ToLower(strings.TrimSpace(b)), "select ") {
			return reads
		}
		if _, op, ok := strings.Cut(b, "."); ok && strings.Contains(b, "_20") && readsByName(strings.TrimPrefix(op, "Batch")) {
			return reads // X-Amz-Target: DynamoDB_20120810.GetItem
		}
	}
	if strings.Contains(body, "grant_type") {
		return reads
	}
	for _, b := range bodies {
		if _, after, ok := strings.Cut(b, `"query"`); ok {
			b = after // the JSON around it is written out
		}
		if t := strings.ToLower(strings.TrimLeft(b, "{ \t\r\n\"'`:")); (strings.HasPrefix(t, "query") || looksLikeSelection(b)) && strings.Contains(b, "{") && !strings.Contains(body, "mutation") {
			if rest := strings.TrimPrefix(t, "query"); rest == t || rest != "" && strings.ContainsAny(rest[:1], " ({\n\t") {
				return reads // a GraphQL query
			}
		}
	}
	if q := strings.TrimLeft(body, "{ \t\r\n\"'`:"); strings.Contains(url, "graphql") || strings.HasPrefix(q, "mutation") {
		if strings.Contains(body, "mutation") {
			return writes
		}
		return reads // a query, or unknown: graphql sends both by POST
	}
	for _, p := range readPaths {
		if i := strings.Index(url, p); i >= 0 && wordEnds(url, i+len(p)) {
			return reads
		}
	}
	for _, u := range urls {
		path, _, _ := strings.Cut(strings.ToLower(u), "?")
		for _, e := range readEnds {
			if strings.HasSuffix(path, e) {
				return reads
			}
		}
	}
	if strings.Contains(body, "jsonrpc") || strings.Contains(url, "/twirp/") || strings.Contains(url, "jsonrpc") {
		// every method is a POST there; without a name that says it writes, it is not known to
		if !writesByName(body) && !writesByName(url) {
			return reads
		}
	}
	return writes
}

// looksLikeSelection says whether a text is the short form of a GraphQL query,
// "{ viewer { login } }": names and braces, and none of JSON's quotes.
func looksLikeSelection(s string) bool {
	s = strings.TrimSpace(s)
	return strings.HasPrefix(s, "{") && strings.Count(s, "{") > 1 && strings.HasSuffix(s, "}") && !strings.ContainsAny(s, `"=`)
}

// wordEnds says whether a path part ends at i: "/list" is not in "/listings".
func wordEnds(s string, i int) bool {
	if i >= len(s) {
		return true
	}
	c := s[i]
	return c < 'a' || c > 'z' || s[i-1] == '/' || s[i-1] == 'v'
}

func writesByName(s string) bool {
	for _, v := range []string{"create", "send", "transfer", "pay", "charge", "submit", "insert", "add", "delete", "update", "issue", "mint", "order"} {
		if strings.Contains(s, v) {
			return true
		}
	}
	return false
}

// readsByName says whether a function's name says that it reads: "SearchUsers",
// "getToken", "fetch".
func readsByName(name string) bool {
	lower := strings.ToLower(name)
	if strings.HasSuffix(lower, "asget") { // ACME's POST-as-GET, RFC 8555 §6.3
		return true
	}
	for _, v := range readVerbs {
		rest, ok := strings.CutPrefix(lower, v)
		if !ok {
			continue
		}
		// the verb must be a word: "issue" does not begin with "is"
		tail := name[len(v):]
		if rest == "" || tail[0] < 'a' || tail[0] > 'z' {
			return !slices.ContainsFunc(writeWords, func(w string) bool {
				return strings.Contains(name, "And"+w) || strings.Contains(name, "Or"+w)
			})
		}
	}
	return false
}
