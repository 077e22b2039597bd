//go:build !unix

package main

import "errors"

// usage cannot be had here.
func (*sample) usage() error {
	return errors.New("processor time and peak memory are measured on Unix systems only")
}
