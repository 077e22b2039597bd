package protocol

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

const plant = `mutation Plant($kind: String!) { plant(kind: $kind) { id } }`

// GraphQLMutation: a constant that begins with mutation.
func (a *API) GraphQLMutation(kind string) error {
	for range 3 {
		resp, err := a.hc.Post(a.base+"/graphql", "application/json", pack(gql{Query: plant, Variables: map[string]any{"kind": kind}})) // want "POST"
		if !bad(resp, err) {
			sink(resp)
			return nil
		}
	}
	return errNoAnswer
}

// GraphQLMutationMap: in a map, behind white space.
func (a *API) GraphQLMutationMap(ctx context.Context) error {
	body, err := json.Marshal(map[string]any{"query": `
		mutation { fell(all: true) { count } }`})
	if err != nil {
		return err
	}
	for range 3 {
		resp, err := a.post(ctx, "/graphql", body) // want "POST"
		if !bad(resp, err) {
			sink(resp)
			return nil
		}
	}
	return errNoAnswer
}

// SendPayment: a JSON-RPC method that writes.
func (a *API) SendPayment(raw string) error {
	for range 3 {
		resp, err := a.hc.Post(a.base, "application/json", pack(call{Version: "2.0", ID: 1, Method: "wallet_sendPayment", Params: []any{raw}})) // want "POST"
		if !bad(resp, err) {
			sink(resp)
			return nil
		}
	}
	return errNoAnswer
}

// OrderCreate: one that writes, in a text.
func (a *API) OrderCreate(to string) error {
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"order_create","params":[%q]}`, to)
	for range 3 {
		resp, err := a.hc.Post(a.base, "application/json", strings.NewReader(body)) // want "POST"
		if !bad(resp, err) {
			sink(resp)
			return nil
		}
	}
	return errNoAnswer
}

// Create: a Connect procedure whose name writes.
func (a *API) Create(pb []byte) error {
	for range 3 {
		req, err := http.NewRequest(http.MethodPost, a.base+"/orchard.v1.OrchardService/CreateOrchard", bytes.NewReader(pb))
		if err != nil {
			return err
		}
		req.Header.Set("Connect-Protocol-Version", "1")
		resp, err := a.hc.Do(req) // want "POST"
		if !bad(resp, err) {
			sink(resp)
			return nil
		}
	}
	return errNoAnswer
}

// TwirpDelete: a Twirp method whose name writes.
func (a *API) TwirpDelete(ctx context.Context, body []byte) error {
	for range 3 {
		resp, err := a.post(ctx, "/twirp/orchard.v1.Orchards/DeleteTrees", body) // want "POST"
		if !bad(resp, err) {
			sink(resp)
			return nil
		}
	}
	return errNoAnswer
}

// Chat: a generation costs money, not state: a warning, and reported.
func (a *API) Chat(prompt []byte) error {
	for range 3 {
		resp, err := a.hc.Post(a.base+"/v1/chat/completions", "application/json", bytes.NewReader(prompt)) // want "POST"
		if !bad(resp, err) {
			sink(resp)
			return nil
		}
	}
	return errNoAnswer
}

// Messages: the other form of it.
func (a *API) Messages(ctx context.Context, prompt []byte) error {
	for range 3 {
		resp, err := a.post(ctx, "/v1/messages", prompt) // want "POST"
		if !bad(resp, err) {
			sink(resp)
			return nil
		}
	}
	return errNoAnswer
}

// Bulk: _bulk of the same search engine writes.
func (a *API) Bulk(docs []byte) error {
	for range 3 {
		resp, err := a.hc.Post(a.base+"/harvests/_bulk", "application/x-ndjson", bytes.NewReader(docs)) // want "POST"
		if !bad(resp, err) {
			sink(resp)
			return nil
		}
	}
	return errNoAnswer
}

// Plant: nothing in the path, the body or the name says that it reads.
func (a *API) Plant(ctx context.Context, tree []byte) error {
	for range 3 {
		resp, err := a.post(ctx, "/trees", tree) // want "POST"
		if !bad(resp, err) {
			sink(resp)
			return nil
		}
	}
	return errNoAnswer
}

// SaveSearch: the word Search is in the name, but it saves.
func (a *API) SaveSearch(ctx context.Context, q []byte) error {
	for range 3 {
		resp, err := a.post(ctx, "/saved", q) // want "POST"
		if !bad(resp, err) {
			sink(resp)
			return nil
		}
	}
	return errNoAnswer
}
