//go:build !unix || darwin || ios

package driver

// ignoreStaticcheckConf does nothing where the user's cache directory cannot be
// moved to the root of the file system. A malformed staticcheck.conf is told
// apart and explained there.
func ignoreStaticcheckConf() (restore func()) { return func() {} }
