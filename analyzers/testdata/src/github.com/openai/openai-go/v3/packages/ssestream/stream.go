// Package ssestream stands for the library's of that name.
package ssestream

type Stream[T any] struct{ cur T }

func (s *Stream[T]) Next() bool   { panic("a stub") }
func (s *Stream[T]) Current() T   { panic("a stub") }
func (s *Stream[T]) Err() error   { panic("a stub") }
func (s *Stream[T]) Close() error { panic("a stub") }
