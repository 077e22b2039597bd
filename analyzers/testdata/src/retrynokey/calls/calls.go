package calls

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// PackagePost: http.Post.
func PackagePost(base string, text []byte) error {
	for range 3 {
		resp, err := http.Post(base+"/tickets", jsonType, bytes.NewReader(text)) // want "POST"
		if err == nil {
			shut(resp)
			return nil
		}
	}
	return errNoTicket
}

// PackagePostForm: http.PostForm.
func PackagePostForm(base string, form url.Values) error {
	for range 3 {
		resp, err := http.PostForm(base+"/tickets", form) // want "POST"
		if err == nil {
			shut(resp)
			return nil
		}
	}
	return errNoTicket
}

// ClientPost: Client.Post on a field.
func (d *Desk) ClientPost(text []byte) error {
	for range 3 {
		resp, err := d.hc.Post(d.base+"/tickets", jsonType, bytes.NewReader(text)) // want "POST"
		if err == nil {
			shut(resp)
			return nil
		}
	}
	return errNoTicket
}

// ClientPostForm: Client.PostForm with values made on the spot.
func (d *Desk) ClientPostForm(title string) error {
	for range 3 {
		resp, err := d.hc.PostForm(d.base+"/tickets", url.Values{"title": {title}}) // want "POST"
		if err == nil {
			shut(resp)
			return nil
		}
	}
	return errNoTicket
}

// DefaultClientPost: the client of the package.
func DefaultClientPost(base string, text []byte) error {
	for range 3 {
		resp, err := http.DefaultClient.Post(base+"/tickets", jsonType, bytes.NewReader(text)) // want "POST"
		if err == nil {
			shut(resp)
			return nil
		}
	}
	return errNoTicket
}

// LocalClientValue: a client that is a local value, not a pointer.
func LocalClientValue(base string, text []byte) error {
	var hc http.Client
	for range 3 {
		resp, err := hc.Post(base+"/tickets", jsonType, bytes.NewReader(text)) // want "POST"
		if err == nil {
			shut(resp)
			return nil
		}
	}
	return errNoTicket
}

// LiteralMethod: NewRequest with a string.
func (d *Desk) LiteralMethod(text []byte) error {
	for range 3 {
		req, err := http.NewRequest("POST", d.base+"/tickets", bytes.NewReader(text))
		if err != nil {
			return err
		}
		resp, err := d.hc.Do(req) // want "POST"
		if err == nil {
			shut(resp)
			return nil
		}
	}
	return errNoTicket
}

// ConstantOfPackage: the method is a constant of this package.
func (d *Desk) ConstantOfPackage(ctx context.Context, text []byte) error {
	for range 3 {
		req, err := http.NewRequestWithContext(ctx, create, d.base+"/tickets", bytes.NewReader(text))
		if err != nil {
			return err
		}
		resp, err := d.hc.Do(req) // want "POST"
		if err == nil {
			shut(resp)
			return nil
		}
	}
	return errNoTicket
}

// TypedConstant: the constant has a type of its own and is converted.
func (d *Desk) TypedConstant(ctx context.Context, text []byte) error {
	for range 3 {
		req, err := http.NewRequestWithContext(ctx, string(opens), d.base+"/tickets", bytes.NewReader(text))
		if err != nil {
			return err
		}
		resp, err := d.hc.Do(req) // want "POST"
		if err == nil {
			shut(resp)
			return nil
		}
	}
	return errNoTicket
}

// VariableMethod: a local variable holds the method.
func (d *Desk) VariableMethod(text []byte) error {
	method := http.MethodPost
	for range 3 {
		req, err := http.NewRequest(method, d.base+"/tickets", bytes.NewReader(text))
		if err != nil {
			return err
		}
		resp, err := d.hc.Do(req) // want "POST"
		if err == nil {
			shut(resp)
			return nil
		}
	}
	return errNoTicket
}

// EitherMethod: POST on one of two paths.
func (d *Desk) EitherMethod(id string, text []byte) error {
	method, path := http.MethodPut, "/tickets/"+id
	if id == "" {
		method, path = http.MethodPost, "/tickets"
	}
	for range 3 {
		req, err := http.NewRequest(method, d.base+path, bytes.NewReader(text))
		if err != nil {
			return err
		}
		resp, err := d.hc.Do(req) // want "POST"
		if err == nil {
			shut(resp)
			return nil
		}
	}
	return errNoTicket
}

// ChosenMethod: a function of the package returns one of two methods.
func (d *Desk) ChosenMethod(id string, text []byte) error {
	for range 3 {
		req, err := http.NewRequest(verbFor(id), d.base+"/tickets/"+id, bytes.NewReader(text))
		if err != nil {
			return err
		}
		resp, err := d.hc.Do(req) // want "POST"
		if err == nil {
			shut(resp)
			return nil
		}
	}
	return errNoTicket
}

// UpperLiteral: the method is written small and made big.
func (d *Desk) UpperLiteral(text []byte) error {
	for range 3 {
		req, err := http.NewRequest(strings.ToUpper("post"), d.base+"/tickets", bytes.NewReader(text))
		if err != nil {
			return err
		}
		resp, err := d.hc.Do(req) // want "POST"
		if err == nil {
			shut(resp)
			return nil
		}
	}
	return errNoTicket
}

// withMethod re-sends what it is told; Reopen tells it to post.
func (d *Desk) withMethod(method, path string, text []byte) error {
	for range 3 {
		req, err := http.NewRequest(method, d.base+path, bytes.NewReader(text))
		if err != nil {
			return err
		}
		resp, err := d.hc.Do(req) // want "any method|POST"
		if err == nil {
			shut(resp)
			return nil
		}
	}
	return errNoTicket
}

// Reopen posts through withMethod.
func (d *Desk) Reopen(id string) error {
	return d.withMethod(http.MethodPost, "/tickets/"+id+"/reopen", nil)
}

// List reads through withMethod.
func (d *Desk) List() error { return d.withMethod(http.MethodGet, "/tickets", nil) }

// withUpper makes the parameter big first.
func (d *Desk) withUpper(method, path string) error {
	for range 3 {
		req, err := http.NewRequest(strings.ToUpper(method), d.base+path, nil)
		if err != nil {
			return err
		}
		resp, err := d.hc.Do(req) // want "any method|POST"
		if err == nil {
			shut(resp)
			return nil
		}
	}
	return errNoTicket
}

// Escalate names the method in small letters.
func (d *Desk) Escalate(id string) error { return d.withUpper("post", "/tickets/"+id+"/escalate") }

// readOnly re-sends what it is told, but nobody tells it to write.
func (d *Desk) readOnly(method, path string) error {
	for range 3 {
		req, err := http.NewRequest(method, d.base+path, nil)
		if err != nil {
			return err
		}
		resp, err := d.hc.Do(req)
		if err == nil {
			shut(resp)
			return nil
		}
	}
	return errNoTicket
}

// Peek and Exists read.
func (d *Desk) Peek(id string) error   { return d.readOnly(http.MethodGet, "/tickets/"+id) }
func (d *Desk) Exists(id string) error { return d.readOnly(string(lists), "/tickets/"+id) }

type step struct {
	method, path string
	text         []byte
}

// perform takes a description of the request; the method is a field.
func (d *Desk) perform(s step) error {
	for range 3 {
		req, err := http.NewRequest(s.method, d.base+s.path, bytes.NewReader(s.text))
		if err != nil {
			return err
		}
		resp, err := d.hc.Do(req) // want "any method|POST"
		if err == nil {
			shut(resp)
			return nil
		}
	}
	return errNoTicket
}

// Comment describes a POST.
func (d *Desk) Comment(id string, text []byte) error {
	return d.perform(step{method: http.MethodPost, path: "/tickets/" + id + "/comments", text: text})
}

// Cloned: one request, a clone per attempt.
func (d *Desk) Cloned(ctx context.Context) error {
	tmpl, err := http.NewRequest(http.MethodPost, d.base+"/tickets/next", nil)
	if err != nil {
		return err
	}
	for range 3 {
		resp, err := d.hc.Do(tmpl.Clone(ctx)) // want "POST"
		if err == nil {
			shut(resp)
			return nil
		}
	}
	return errNoTicket
}

// Rewrapped: WithContext per attempt.
func (d *Desk) Rewrapped(ctx context.Context, text []byte) error {
	req, err := http.NewRequest(http.MethodPost, d.base+"/tickets", nil)
	if err != nil {
		return err
	}
	for range 3 {
		r := req.WithContext(ctx)
		r.Body = io.NopCloser(bytes.NewReader(text))
		resp, err := d.hc.Do(r) // want "POST"
		if err == nil {
			shut(resp)
			return nil
		}
	}
	return errNoTicket
}

// ShallowCopy: the request is copied by value.
func (d *Desk) ShallowCopy(text []byte) error {
	req, err := http.NewRequest(http.MethodPost, d.base+"/tickets", nil)
	if err != nil {
		return err
	}
	for range 3 {
		dup := *req
		dup.Body = io.NopCloser(bytes.NewReader(text))
		resp, err := d.hc.Do(&dup) // want "POST"
		if err == nil {
			shut(resp)
			return nil
		}
	}
	return errNoTicket
}

// TransportField: RoundTrip of an *http.Transport.
func (d *Desk) TransportField(ctx context.Context, text []byte) error {
	for range 3 {
		req, err := newTicket(ctx, d.base, text)
		if err != nil {
			return err
		}
		resp, err := d.tr.RoundTrip(req) // want "POST"
		if err == nil {
			shut(resp)
			return nil
		}
	}
	return errNoTicket
}

// DefaultTransport: RoundTrip of the default transport.
func DefaultTransport(ctx context.Context, base string, text []byte) error {
	for range 3 {
		req, err := newTicket(ctx, base, text)
		if err != nil {
			return err
		}
		resp, err := http.DefaultTransport.RoundTrip(req) // want "POST"
		if err == nil {
			shut(resp)
			return nil
		}
	}
	return errNoTicket
}

// RoundTripperField: RoundTrip of the interface.
func (d *Desk) RoundTripperField(ctx context.Context, text []byte) error {
	for range 3 {
		req, err := newTicket(ctx, d.base, text)
		if err != nil {
			return err
		}
		resp, err := d.rt.RoundTrip(req) // want "POST"
		if err == nil {
			shut(resp)
			return nil
		}
	}
	return errNoTicket
}

// ThroughDoer: an interface of the package stands for the client.
func (d *Desk) ThroughDoer(ctx context.Context, text []byte) error {
	for range 3 {
		req, err := newTicket(ctx, d.base, text)
		if err != nil {
			return err
		}
		resp, err := d.doer.Do(req) // want "POST"
		if err == nil {
			shut(resp)
			return nil
		}
	}
	return errNoTicket
}

// MethodValue: Do is bound to a variable first.
func (d *Desk) MethodValue(ctx context.Context, text []byte) error {
	send := d.hc.Do
	for range 3 {
		req, err := newTicket(ctx, d.base, text)
		if err != nil {
			return err
		}
		resp, err := send(req) // want "POST"
		if err == nil {
			shut(resp)
			return nil
		}
	}
	return errNoTicket
}

// BuilderFunction: the request comes from a function of the package.
func (d *Desk) BuilderFunction(ctx context.Context, text []byte) error {
	for range 3 {
		req, err := newTicket(ctx, d.base, text)
		if err != nil {
			return err
		}
		resp, err := d.hc.Do(req) // want "POST"
		if err == nil {
			shut(resp)
			return nil
		}
	}
	return errNoTicket
}

// BuilderMethod: from a method that gets the HTTP method as an argument.
func (d *Desk) BuilderMethod(text []byte) error {
	for range 3 {
		req, err := d.request(http.MethodPost, "tickets", text)
		if err != nil {
			return err
		}
		resp, err := d.hc.Do(req) // want "POST"
		if err == nil {
			shut(resp)
			return nil
		}
	}
	return errNoTicket
}

// BuilderMethodRead: the same builder, asked for a read.
func (d *Desk) BuilderMethodRead() error {
	for range 3 {
		req, err := d.request(http.MethodGet, "tickets", nil)
		if err != nil {
			return err
		}
		resp, err := d.hc.Do(req)
		if err == nil {
			shut(resp)
			return nil
		}
	}
	return errNoTicket
}

// MustBuilder: a generic helper takes the error away.
func (d *Desk) MustBuilder(ctx context.Context, text []byte) error {
	for range 3 {
		resp, err := d.hc.Do(must(newTicket(ctx, d.base, text))) // want "POST"
		if err == nil {
			shut(resp)
			return nil
		}
	}
	return errNoTicket
}

// LiteralRequest: a composite literal with a method.
func (d *Desk) LiteralRequest(u *url.URL, text []byte) error {
	for range 3 {
		req := &http.Request{
			Method: http.MethodPost,
			URL:    u,
			Body:   io.NopCloser(bytes.NewReader(text)),
		}
		resp, err := d.hc.Do(req) // want "POST"
		if err == nil {
			shut(resp)
			return nil
		}
	}
	return errNoTicket
}

// LiteralRequestRead: no method in the literal means GET.
func (d *Desk) LiteralRequestRead(u *url.URL) error {
	for range 3 {
		resp, err := d.hc.Do(&http.Request{URL: u})
		if err == nil {
			shut(resp)
			return nil
		}
	}
	return errNoTicket
}

// NewWithFields: new and assignments.
func (d *Desk) NewWithFields(u *url.URL) error {
	for range 3 {
		req := new(http.Request)
		req.Method = "POST"
		req.URL = u
		resp, err := d.hc.Do(req) // want "POST"
		if err == nil {
			shut(resp)
			return nil
		}
	}
	return errNoTicket
}

// MethodAssignedLater: built as a read, then made a write.
func (d *Desk) MethodAssignedLater() error {
	for range 3 {
		req, err := http.NewRequest(http.MethodGet, d.base+"/tickets/next", nil)
		if err != nil {
			return err
		}
		req.Method = http.MethodPost
		resp, err := d.hc.Do(req) // want "POST"
		if err == nil {
			shut(resp)
			return nil
		}
	}
	return errNoTicket
}

// MethodTakenBack: built as a write, then made a read.
func (d *Desk) MethodTakenBack() error {
	for range 3 {
		req, err := http.NewRequest(http.MethodPost, d.base+"/tickets/next", nil)
		if err != nil {
			return err
		}
		req.Method = http.MethodGet
		resp, err := d.hc.Do(req)
		if err == nil {
			shut(resp)
			return nil
		}
	}
	return errNoTicket
}

// EmptyMethod: an empty method is a GET to net/http.
func (d *Desk) EmptyMethod() error {
	for range 3 {
		req, err := http.NewRequest("", d.base+"/tickets", nil)
		if err != nil {
			return err
		}
		resp, err := d.hc.Do(req)
		if err == nil {
			shut(resp)
			return nil
		}
	}
	return errNoTicket
}

// Patch: PATCH is unsafe too.
func (d *Desk) Patch(id string, text []byte) error {
	for range 3 {
		req, err := http.NewRequest(http.MethodPatch, d.base+"/tickets/"+id, bytes.NewReader(text))
		if err != nil {
			return err
		}
		resp, err := d.hc.Do(req) // want "PATCH"
		if err == nil {
			shut(resp)
			return nil
		}
	}
	return errNoTicket
}

// PatchByBuilder: PATCH through the builder and a typed constant.
func (d *Desk) PatchByBuilder(id string, text []byte) error {
	for range 3 {
		req, err := d.request(string(amends), "tickets/"+id, text)
		if err != nil {
			return err
		}
		resp, err := d.hc.Do(req) // want "PATCH"
		if err == nil {
			shut(resp)
			return nil
		}
	}
	return errNoTicket
}

// Put: idempotent by RFC 9110; reported under -unsafe-methods only.
func (d *Desk) Put(id string, text []byte) error {
	for range 3 {
		req, err := http.NewRequest(http.MethodPut, d.base+"/tickets/"+id, bytes.NewReader(text))
		if err != nil {
			return err
		}
		resp, err := d.hc.Do(req)
		if err == nil {
			shut(resp)
			return nil
		}
	}
	return errNoTicket
}

// Delete: the same.
func (d *Desk) Delete(id string) error {
	for range 3 {
		req, err := http.NewRequest(http.MethodDelete, d.base+"/tickets/"+id, nil)
		if err != nil {
			return err
		}
		resp, err := d.hc.Do(req)
		if err == nil {
			shut(resp)
			return nil
		}
	}
	return errNoTicket
}

// Reads: the calls that cannot write.
func (d *Desk) Reads(id string) error {
	for range 3 {
		if resp, err := d.hc.Head(d.base + "/tickets/" + id); err == nil {
			shut(resp)
			return nil
		}
		if resp, err := http.Get(d.base + "/tickets/" + id); err == nil {
			shut(resp)
			return nil
		}
	}
	return errNoTicket
}

// TwoRequests: the write is built beside, but the read is what is sent again.
func (d *Desk) TwoRequests(ctx context.Context, text []byte) error {
	write, err := newTicket(ctx, d.base, text)
	if err != nil {
		return err
	}
	read, err := http.NewRequestWithContext(ctx, http.MethodGet, d.base+"/health", nil)
	if err != nil {
		return err
	}
	for range 5 {
		resp, err := d.hc.Do(read)
		if err == nil {
			shut(resp)
			break
		}
	}
	resp, err := d.hc.Do(write)
	shut(resp)
	return err
}
