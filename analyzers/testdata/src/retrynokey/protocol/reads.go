package protocol

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// Nothing in this file is reported.

// Index: _search reads.
func (a *API) Index(q []byte) error {
	for range 3 {
		resp, err := a.hc.Post(a.base+"/harvests/_search", "application/json", bytes.NewReader(q))
		if !bad(resp, err) {
			sink(resp)
			return nil
		}
	}
	return errNoAnswer
}

// IndexNamed: _search at the end of a formatted path, through a helper.
func (a *API) IndexNamed(ctx context.Context, index string, q []byte) error {
	for range 3 {
		resp, err := a.post(ctx, fmt.Sprintf("/%s/_search?size=10", index), q)
		if !bad(resp, err) {
			sink(resp)
			return nil
		}
	}
	return errNoAnswer
}

// Range: query_range of a metrics store, asked by a form.
func (a *API) Range(expr string) error {
	v := url.Values{"query": {expr}, "step": {"15"}}
	for range 3 {
		resp, err := a.hc.PostForm(a.base+"/api/v1/query_range", v)
		if !bad(resp, err) {
			sink(resp)
			return nil
		}
	}
	return errNoAnswer
}

// Token: an OAuth token endpoint, told by grant_type.
func (a *API) Token(id, secret string) error {
	v := url.Values{
		"grant_type":    {"client_credentials"},
		"client_id":     {id},
		"client_secret": {secret},
	}
	for range 3 {
		resp, err := a.hc.PostForm(a.base+"/oauth2/token", v)
		if !bad(resp, err) {
			sink(resp)
			return nil
		}
	}
	return errNoAnswer
}

// TokenSet: grant_type is set on the values, and the request is built by hand.
func (a *API) TokenSet(ctx context.Context, refresh string) error {
	v := url.Values{}
	v.Set("grant_type", "refresh_token")
	v.Set("refresh_token", refresh)
	for range 3 {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.base+"/connect", strings.NewReader(v.Encode()))
		if err != nil {
			return err
		}
		req.Header.Set("Content-Type", form)
		resp, err := a.hc.Do(req)
		if !bad(resp, err) {
			sink(resp)
			return nil
		}
	}
	return errNoAnswer
}

// TokenText: the form as one text.
func (a *API) TokenText(code string) error {
	for range 3 {
		body := strings.NewReader("grant_type=authorization_code&code=" + url.QueryEscape(code))
		resp, err := a.hc.Post(a.base+"/token", form, body)
		if !bad(resp, err) {
			sink(resp)
			return nil
		}
	}
	return errNoAnswer
}

const orchard = `query Orchard($id: ID!) { orchard(id: $id) { name trees { kind } } }`

// GraphQLConstant: a constant that begins with query.
func (a *API) GraphQLConstant(id string) error {
	for range 3 {
		resp, err := a.hc.Post(a.base+"/graphql", "application/json", pack(gql{Query: orchard, Variables: map[string]any{"id": id}}))
		if !bad(resp, err) {
			sink(resp)
			return nil
		}
	}
	return errNoAnswer
}

// GraphQLShort: the short form of a query.
func (a *API) GraphQLShort(ctx context.Context) error {
	body, err := json.Marshal(map[string]string{"query": "{ orchards { id } }"})
	if err != nil {
		return err
	}
	for range 3 {
		resp, err := a.post(ctx, "/graphql", body)
		if !bad(resp, err) {
			sink(resp)
			return nil
		}
	}
	return errNoAnswer
}

// GraphQLText: the whole body is a constant.
func (a *API) GraphQLText() error {
	for range 3 {
		resp, err := a.hc.Post(a.base+"/graphql", "application/json", strings.NewReader(`{"query":"query { me { id } }"}`))
		if !bad(resp, err) {
			sink(resp)
			return nil
		}
	}
	return errNoAnswer
}

// S3: select reads an object.
func (a *API) S3(key string, expr []byte) error {
	for range 3 {
		resp, err := a.hc.Post(a.base+"/"+key+"?select&select-type=2", "application/xml", bytes.NewReader(expr))
		if !bad(resp, err) {
			sink(resp)
			return nil
		}
	}
	return errNoAnswer
}

// Traces: an OTLP export may come twice.
func (a *API) Traces(pb []byte) error {
	for range 5 {
		resp, err := a.hc.Post(a.base+"/v1/traces", "application/x-protobuf", bytes.NewReader(pb))
		if !bad(resp, err) {
			sink(resp)
			return nil
		}
	}
	return errNoAnswer
}

// Samples: remote write may come twice.
func (a *API) Samples(snappy []byte) error {
	for range 5 {
		req, err := http.NewRequest(http.MethodPost, a.base+"/api/v1/write", bytes.NewReader(snappy))
		if err != nil {
			return err
		}
		req.Header.Set("X-Prometheus-Remote-Write-Version", "0.1.0")
		resp, err := a.hc.Do(req)
		if !bad(resp, err) {
			sink(resp)
			return nil
		}
	}
	return errNoAnswer
}

const lokiPath = "/loki/api/v1/push"

// Lines: so may a Loki push.
func (a *API) Lines(ctx context.Context, lines []byte) error {
	for range 5 {
		resp, err := a.post(ctx, lokiPath, lines)
		if !bad(resp, err) {
			sink(resp)
			return nil
		}
	}
	return errNoAnswer
}

// BlockNumber: a JSON-RPC method that reads.
func (a *API) BlockNumber() error {
	for range 3 {
		resp, err := a.hc.Post(a.base, "application/json", pack(call{Version: "2.0", ID: 1, Method: "eth_blockNumber"}))
		if !bad(resp, err) {
			sink(resp)
			return nil
		}
	}
	return errNoAnswer
}

// Balance: one that reads with a parameter, in a text.
func (a *API) Balance(addr string) error {
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":[%q,"latest"]}`, addr)
	for range 3 {
		resp, err := a.hc.Post(a.base, "application/json", strings.NewReader(body))
		if !bad(resp, err) {
			sink(resp)
			return nil
		}
	}
	return errNoAnswer
}

// Describe: a Connect procedure whose name reads.
func (a *API) Describe(pb []byte) error {
	for range 3 {
		req, err := http.NewRequest(http.MethodPost, a.base+"/orchard.v1.OrchardService/GetOrchard", bytes.NewReader(pb))
		if err != nil {
			return err
		}
		req.Header.Set("Connect-Protocol-Version", "1")
		resp, err := a.hc.Do(req)
		if !bad(resp, err) {
			sink(resp)
			return nil
		}
	}
	return errNoAnswer
}

// Twirp: the same for a Twirp path.
func (a *API) Twirp(ctx context.Context, body []byte) error {
	for range 3 {
		resp, err := a.post(ctx, "/twirp/orchard.v1.Orchards/ListTrees", body)
		if !bad(resp, err) {
			sink(resp)
			return nil
		}
	}
	return errNoAnswer
}

// Upload: the start of an upload session of a registry makes nothing that lasts.
func (a *API) Upload(ctx context.Context, repo string) error {
	for range 3 {
		resp, err := a.post(ctx, "/v2/"+repo+"/blobs/uploads/", nil)
		if !bad(resp, err) {
			sink(resp)
			return nil
		}
	}
	return errNoAnswer
}

// SearchTrees: the name of the function says that it reads.
func (a *API) SearchTrees(ctx context.Context, filter []byte) error {
	for range 3 {
		resp, err := a.post(ctx, "/trees", filter)
		if !bad(resp, err) {
			sink(resp)
			return nil
		}
	}
	return errNoAnswer
}

// QueryYield: so does this one.
func (a *API) QueryYield(ctx context.Context, filter []byte) error {
	for range 3 {
		resp, err := a.post(ctx, "/yield", filter)
		if !bad(resp, err) {
			sink(resp)
			return nil
		}
	}
	return errNoAnswer
}

// postAsGet: ACME reads by a signed POST with an empty payload.
func (a *API) postAsGet(ctx context.Context, sign func([]byte) []byte, path string) (*http.Response, error) {
	for n := 0; ; n++ {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.base+path, bytes.NewReader(sign(nil)))
		if err != nil {
			return nil, err
		}
		req.Header.Set("Content-Type", "application/jose+json")
		resp, err := a.hc.Do(req)
		if n == 2 || !bad(resp, err) {
			return resp, err
		}
		sink(resp)
	}
}

// Challenge reads one.
func (a *API) Challenge(ctx context.Context, sign func([]byte) []byte, id string) error {
	resp, err := a.postAsGet(ctx, sign, "/acme/chall/"+id)
	sink(resp)
	return err
}

// Encoded: a series store takes the same sample twice for one, whatever its path.
func (a *API) Encoded(ctx context.Context, to string, snappy []byte) error {
	for range 3 {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(snappy))
		if err != nil {
			return err
		}
		req.Header.Set("Content-Type", "application/x-protobuf")
		resp, err := a.hc.Do(req)
		if !bad(resp, err) {
			sink(resp)
			return nil
		}
	}
	return errNoAnswer
}

// OfTenant: the tenant's header belongs to stores of lines and samples alone.
func (a *API) OfTenant(ctx context.Context, to, tenant string, lines []byte) error {
	for range 3 {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(lines))
		if err != nil {
			return err
		}
		req.Header.Set("X-Scope-OrgID", tenant)
		resp, err := a.hc.Do(req)
		if !bad(resp, err) {
			sink(resp)
			return nil
		}
	}
	return errNoAnswer
}
