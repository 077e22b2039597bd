// Package failsafe stands for the library of that name: its types, and no code.
package failsafe

type Policy[R any] interface{ ToExecutor(R) any }
