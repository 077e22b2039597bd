// Package libraries holds the tables of internal/apis against the libraries they
// speak of: every symbol is there, and a server counts what is really sent.
package libraries
