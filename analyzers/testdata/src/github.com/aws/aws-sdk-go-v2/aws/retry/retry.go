// Package retry stands for the library's of that name.
package retry

type Retryer interface{ MaxAttempts() int }

func AddWithMaxAttempts(Retryer, int) Retryer { panic("a stub") }
