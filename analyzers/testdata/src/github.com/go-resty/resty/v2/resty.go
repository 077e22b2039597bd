// Package resty stands for the library of that path: a client whose requests are
// built by a list of functions, which running the code does not see through.
package resty

import "net/http"

// Client sends requests, again if it is told to.
type Client struct {
	RetryCount int
	conditions []func(*Response, error) bool
	before     []func(*Client, *Request) error
	hc         *http.Client
}

// New makes a Client that sends once.
func New() *Client {
	return &Client{hc: &http.Client{}, before: []func(*Client, *Request) error{}}
}

// SetRetryCount says how often a request is sent again.
func (c *Client) SetRetryCount(n int) *Client {
	c.RetryCount = n
	return c
}

// AddRetryCondition adds a reason to send again.
func (c *Client) AddRetryCondition(f func(*Response, error) bool) *Client {
	c.conditions = append(c.conditions, f)
	return c
}

// R begins a request.
func (c *Client) R() *Request { return &Request{client: c, Header: http.Header{}} }

// Request is one.
type Request struct {
	Method, URL string
	Header      http.Header
	Body        any
	client      *Client
}

// Response is the answer.
type Response struct{ RawResponse *http.Response }

// StatusCode is the answer's.
func (r *Response) StatusCode() int {
	if r.RawResponse == nil {
		return 0
	}
	return r.RawResponse.StatusCode
}

// SetHeader sets a header field.
func (r *Request) SetHeader(name, value string) *Request {
	r.Header.Set(name, value)
	return r
}

// SetBody sets what is encoded.
func (r *Request) SetBody(v any) *Request {
	r.Body = v
	return r
}

// Post sends a POST.
func (r *Request) Post(url string) (*Response, error) { return r.Execute(http.MethodPost, url) }

// Get sends a GET.
func (r *Request) Get(url string) (*Response, error) { return r.Execute(http.MethodGet, url) }

// Execute sends a request, and again after an error or for a condition.
func (r *Request) Execute(method, url string) (resp *Response, err error) {
	r.Method, r.URL = method, url
	for n := 0; n <= r.client.RetryCount; n++ {
		resp, err = r.client.execute(r)
		again := err != nil
		for _, c := range r.client.conditions {
			again = again || c(resp, err)
		}
		if !again {
			return resp, err
		}
	}
	return resp, err
}

func (c *Client) execute(r *Request) (*Response, error) {
	for _, f := range c.before {
		if err := f(c, r); err != nil {
			return nil, err
		}
	}
	req, err := http.NewRequest(r.Method, r.URL, nil)
	if err != nil {
		return nil, err
	}
	raw, err := c.hc.Do(req)
	return &Response{raw}, err
}
