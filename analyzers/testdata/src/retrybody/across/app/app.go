// Package app takes herbarium sheets from a scanner to a client of another
// package, through a retry helper of a third.
package app

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"time"

	"retrybody/across/client"
	"retrybody/across/retry"
)

// Scanner scans.
type Scanner struct {
	c *client.Client
}

// File opens the scan once.
func (s *Scanner) File(ctx context.Context, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return retry.Do(ctx, 4, func(ctx context.Context) error {
		return s.c.Put(ctx, name, f) // want `body`
	})
}

// FileInside opens it in each round.
func (s *Scanner) FileInside(ctx context.Context, name string) error {
	return retry.Do(ctx, 4, func(ctx context.Context) error {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		return s.c.Put(ctx, name, f)
	})
}

// FileSeek opens it once; the client goes back to its beginning.
func (s *Scanner) FileSeek(ctx context.Context, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return retry.Do(ctx, 4, func(ctx context.Context) error {
		return s.c.PutSeek(ctx, name, f)
	})
}

// Bytes hands over bytes.
func (s *Scanner) Bytes(ctx context.Context, name string, scan []byte) error {
	return retry.Do(ctx, 4, func(ctx context.Context) error {
		return s.c.PutBytes(ctx, name, scan)
	})
}

// Loop repeats over a reader in a loop of its own.
func (s *Scanner) Loop(ctx context.Context, name string, scan []byte) (err error) {
	rd := bytes.NewReader(scan)
	for range 3 {
		if err = s.c.Put(ctx, name, rd); err == nil { // want `body`
			return nil
		}
	}
	return err
}

// LoopAnew makes the reader in the call.
func (s *Scanner) LoopAnew(ctx context.Context, name string, scan []byte) (err error) {
	for range 3 {
		if err = s.c.Put(ctx, name, bytes.NewReader(scan)); err == nil {
			return nil
		}
	}
	return err
}

// Sheet hands over a struct that holds the reader.
func (s *Scanner) Sheet(ctx context.Context, sheet client.Sheet) error {
	return retry.Do(ctx, 3, func(ctx context.Context) error {
		return s.c.PutSheet(ctx, sheet) // want `body`
	})
}

// SheetAnew makes the struct inside.
func (s *Scanner) SheetAnew(ctx context.Context, name string, scan []byte) error {
	return retry.Do(ctx, 3, func(ctx context.Context) error {
		return s.c.PutSheet(ctx, client.Sheet{Name: name, Scan: bytes.NewReader(scan)})
	})
}

// Built has the client build a request, and sends it until it is taken.
func (s *Scanner) Built(ctx context.Context, name string, scan io.Reader) error {
	req, err := s.c.NewRequest(ctx, name, scan)
	if err != nil {
		return err
	}
	_, err = retry.Value(ctx, 3, func(context.Context) (struct{}, error) {
		return struct{}{}, s.c.Send(req) // want `body`
	})
	return err
}

// BuiltRewound opens its body again.
func (s *Scanner) BuiltRewound(ctx context.Context, name string, scan []byte) error {
	req, err := s.c.NewRequest(ctx, name, bytes.NewReader(scan))
	if err != nil {
		return err
	}
	_, err = retry.Value(ctx, 3, func(context.Context) (struct{}, error) {
		body, err := req.GetBody()
		if err != nil {
			return struct{}{}, err
		}
		req.Body = body
		return struct{}{}, s.c.Send(req)
	})
	return err
}

// Copy leaves the repeating to the client, which reads the scan first.
func (s *Scanner) Copy(ctx context.Context, name string, scan io.Reader) error {
	return s.c.PutCopy(ctx, name, scan)
}

// Timed sends once, through the same package.
func (s *Scanner) Timed(ctx context.Context, name string, scan io.Reader) error {
	return retry.Once(ctx, time.Minute, func(ctx context.Context) error {
		return s.c.Put(ctx, name, scan)
	})
}

// All sends each sheet once.
func (s *Scanner) All(ctx context.Context, sheets []client.Sheet) error {
	var errs []error
	for _, sheet := range sheets {
		errs = append(errs, s.c.PutSheet(ctx, sheet))
	}
	return errors.Join(errs...)
}
