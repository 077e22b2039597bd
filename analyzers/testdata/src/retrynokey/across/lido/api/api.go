// Package api rents out deck chairs, through whatever client it is given.
package api

import (
	"context"
	"net/http"
	"strings"

	"github.com/hardy/sealed"
)

// Client has a service for each kind of thing, which leads back to it.
type Client struct {
	HTTP   *http.Client
	shared service
	Chairs *ChairService
	Tents  *TentService
}

type service struct{ client *Client }

// ChairService rents out chairs.
type ChairService service

// TentService rents out tents.
type TentService service

// New makes a client.
func New(h *http.Client) *Client {
	c := &Client{HTTP: h}
	c.shared.client = c
	c.Chairs = (*ChairService)(&c.shared)
	c.Tents = (*TentService)(&c.shared)
	return c
}

// Signed lets a client sign what it sends.
func Signed(h *http.Client, seal string) *http.Client {
	h.Transport = &sealed.Transport{Base: h.Transport, Seal: seal}
	return h
}

// Rent rents a chair out.
func (s *ChairService) Rent(ctx context.Context, row string) error {
	return s.client.send(ctx, http.MethodPost, "/chairs", row)
}

// Free asks for chairs that are free.
func (s *ChairService) Free(ctx context.Context, row string) error {
	return s.client.send(ctx, http.MethodGet, "/chairs/"+row, "")
}

// Pitch puts a tent up.
func (s *TentService) Pitch(ctx context.Context, row string) error {
	return s.client.send(ctx, http.MethodPost, "/tents", row)
}

func (c *Client) send(ctx context.Context, method, path, body string) error {
	req, err := http.NewRequestWithContext(ctx, method, "https://lido.example"+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	resp, err := c.HTTP.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}
