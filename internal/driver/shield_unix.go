//go:build unix && !darwin && !ios

package driver

import "os"

// ignoreStaticcheckConf keeps honnef's loader from reading the staticcheck.conf
// files of the user's tree. This program uses nothing of them, but a malformed
// one would make every package under it fail.
//
// The loader skips the file for packages in the user's cache directory, and
// asks the environment where that is. For the time of the load the answer is
// the root of the file system. The go command is not affected, since it gets an
// environment of its own. The caller must call restore.
func ignoreStaticcheckConf() (restore func()) {
	const variable = "XDG_CACHE_HOME"
	old, had := os.LookupEnv(variable)
	if err := os.Setenv(variable, "/"); err != nil {
		return func() {} // then a malformed file is explained instead
	}
	return func() {
		if had {
			_ = os.Setenv(variable, old) // cannot fail: it held this value before
		} else {
			_ = os.Unsetenv(variable)
		}
	}
}
