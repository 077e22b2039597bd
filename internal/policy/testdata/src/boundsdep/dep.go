// Package boundsdep makes clients for others.
package boundsdep

import (
	"net/http"
	"time"
)

type Config struct{ Timeout time.Duration }

func New() *Config { return &Config{Timeout: 20 * time.Second} }

func (c *Config) HTTPClient() *http.Client { return &http.Client{Timeout: c.Timeout} }
