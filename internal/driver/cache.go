package driver

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"honnef.co/go/tools/lintcmd/cache"
)

// cacheVariable moves the cache.
const cacheVariable = "RESILIENCEVET_CACHE"

// openCache opens the cache and salts it. The salt holds whatever changes the
// result of analyzing the same package: the program itself and the flags that
// reach the analyzers. The rules that run are among them, because honnef's key
// has only the names of the analyzers, and these are always the same.
func (c *command) openCache(flags *checkFlags) (*cache.DiskCache, error) {
	dir, err := c.cacheDir()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("cache: %w", err)
	}
	disk, err := cache.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("cache: %w", err)
	}
	program, err := hashProgram()
	if err != nil {
		return nil, fmt.Errorf("cache: %w", err)
	}
	salt := sha256.New()
	fmt.Fprintf(salt, "%x\n%#v\n%q\n", program, flags.policy, flags.rules.Names())
	cache.SetSalt(salt.Sum(nil))
	return disk, nil
}

// aside is a cache from which everything can be read that disk holds, while what
// is put into it is kept in a directory of its own and only until it is removed.
type aside struct {
	*cache.DiskCache
	dir  string
	own  *cache.DiskCache
	puts sync.Map // of cache.OutputID: what own holds
}

// newAside puts a cache beside another.
func newAside(disk *cache.DiskCache) (*aside, error) {
	dir, err := os.MkdirTemp("", name+"-")
	if err != nil {
		return nil, err
	}
	own, err := cache.Open(dir)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return &aside{DiskCache: disk, dir: dir, own: own}, nil
}

// Put adds an item.
func (a *aside) Put(id cache.ActionID, file io.ReadSeeker) (cache.OutputID, int64, error) {
	out, size, err := a.own.Put(id, file)
	if err == nil {
		a.puts.Store(out, true)
	}
	return out, size, err
}

// OutputFile returns the file of an output.
func (a *aside) OutputFile(out cache.OutputID) string {
	if _, ok := a.puts.Load(out); ok {
		return a.own.OutputFile(out)
	}
	return a.DiskCache.OutputFile(out)
}

// remove deletes what was put into it. Of no use to anybody, it may also stay.
func (a *aside) remove() { _ = os.RemoveAll(a.dir) }

// cacheDir returns the directory of the cache.
func (c *command) cacheDir() (string, error) {
	if dir := c.getenv(cacheVariable); dir != "" {
		if !filepath.IsAbs(dir) {
			return "", fmt.Errorf("%s is %q, which is not an absolute path", cacheVariable, dir)
		}
		return dir, nil
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no cache directory: %w; set %s", err, cacheVariable)
	}
	return filepath.Join(dir, name), nil
}

// getenv looks up a variable of the environment that Main was given.
func (c *command) getenv(key string) string {
	value := ""
	for _, kv := range c.env {
		if v, ok := strings.CutPrefix(kv, key+"="); ok {
			value = v
		}
	}
	return value
}

// hashProgram returns the hash of the running program's file.
func hashProgram() ([]byte, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	h := sha256.New()
	_, err = io.Copy(h, f)
	return h.Sum(nil), errors.Join(err, f.Close())
}
