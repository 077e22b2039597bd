// Package stacked holds rule stackedretry to its word: in each directory below
// retries stand in retries, and the test counts what a server that fails every time
// receives for one call. The number in the linter's message must be that one.
package stacked
