package policy

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"
)

func TestFacts(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), New(Config{}), "facts")
}

func TestNature(t *testing.T) {
	for _, c := range []struct {
		url, body string
		want      nature
	}{
		{"/charges", "", writes},
		{"/orders/_search", "", reads},
		{"/oauth2/token", "", reads},
		{"/orders/search-and-book", "", writes},
		{"/token/transfer", "", writes},
		{"/oauth/clients", "", writes},
		{"/users/search?page=2", "", reads},
		{"/tokens", "", writes}, // makes a token for somebody, perhaps
		{"/listings", "", writes},
		{"/list", "", reads},
		{"https://api.example.com/v1/chat/completions", "", generation},
		{"/graphql", "mutation { pay }", writes},
		{"/graphql", "query { me }", reads},
		{"/", `{"query":"query Me { me { id } }"}`, reads},
		{"/", `{ viewer { login } }`, reads},
		{"/", `{"a":{"b":1}}`, writes},
		{"/", "grant_type=client_credentials", reads},
		{"/rpc", `{"jsonrpc":"2.0","method":"eth_blockNumber"}`, reads},
		{"/rpc", `{"jsonrpc":"2.0","method":"eth_sendRawTransaction"}`, writes},
		{"/v2/library/alpine/blobs/uploads/", "", reads},
		{"/ingest", "application/x-protobuf", reads},
		{"/ingest", "X-Scope-OrgID", reads},
		{"/ingest", "application/protobuf", writes}, // Twirp, among others
	} {
		if got := natureOf([]string{c.url}, []string{c.body}); got != c.want {
			t.Errorf("natureOf(%q, %q) = %d, want %d", c.url, c.body, got, c.want)
		}
	}
}

func TestReadsByName(t *testing.T) {
	for name, want := range map[string]bool{
		"SearchUsers": true, "getToken": true, "List": true, "postAsGet": true, "ValidateCard": true, "is": true,
		"Issue": false, "Charge": false, "Getaway": false, "CheckoutCart": false, "Hasten": false, "Create": false,
		"CheckAndCharge": false, "GetOrCreateCustomer": false, "SearchAndBuy": false, "LoadFunds": false, "TokenTransfer": false,
		"ListOrders": true, "GetPosts": true, "retrieveToken": true, "RetrieveAndPay": false, "SearchIssues": true,
	} {
		if got := readsByName(name); got != want {
			t.Errorf("readsByName(%q) = %v, want %v", name, got, want)
		}
	}
}

func TestDescribe(t *testing.T) {
	by := map[string]outcome{}
	for _, o := range ambiguous {
		by[o.name] = o
	}
	for _, c := range []struct {
		names []string
		want  string
	}{
		{[]string{"timeout"}, "a timeout"},
		{[]string{"502"}, "a 502 response"},
		{[]string{"timeout", "502"}, "a timeout or a 502 response"},
		{[]string{"timeout", "connection reset", "500", "502", "504"}, "a timeout, a connection reset or a 5xx response"},
		{[]string{"502", "504"}, "a 502 response or a 504 response"},
		{[]string{"unreadable answer"}, "an answer that cannot be read"},
		{nil, ""},
	} {
		var os []outcome
		for _, n := range c.names {
			o, ok := by[n]
			if !ok {
				t.Fatalf("no outcome %q", n)
			}
			os = append(os, o)
		}
		if got := describe(os); got != c.want {
			t.Errorf("describe(%v) = %q, want %q", c.names, got, c.want)
		}
	}
}

func TestKeyNames(t *testing.T) {
	for name, want := range map[string]bool{
		"Idempotency-Key": true, "X-Idempotency-Key": true, "PayPal-Request-Id": true, "X-Shop-Idempotent-Token": true,
		"X-Request-Id": false, "Traceparent": false, "Authorization": false,
	} {
		if got := isKeyHeader(name); got != want {
			t.Errorf("isKeyHeader(%q) = %v, want %v", name, got, want)
		}
	}
	for name, want := range map[string]bool{
		"IdempotencyKey": true, "idempotency_key": true, "ClientToken": true, "request_id": true,
		"OrderID": false, "Key": false, "Token": false,
	} {
		if got := isKeyField(name); got != want {
			t.Errorf("isKeyField(%q) = %v, want %v", name, got, want)
		}
	}
}
