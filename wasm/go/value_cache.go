package portail

import (
	"os"
	"strings"
	"syscall"
	"time"
)

const (
	maxCachedBytes = 16 * 1024 * 1024
	entrySize      = 512 // bytes that an entry takes beside its value
)

// isVolatile reports whether reading changes the key, which does not change the revision. Each read reads its current value.
func isVolatile(key string) bool {
	for _, prefix := range []string{"consultation.", "audit.", "config."} {
		if strings.HasPrefix(key, prefix) {
			return true
		}
	}
	return false
}

// revision is the state of the file ~revision. While it is the same, no value changes (lease.go). Zero: there is none, or a writer has
// begun a change and not finished it.
type revision struct {
	size              int64
	modified, changed time.Time
}

func statRevision(file string) revision {
	info, err := os.Lstat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size()%2 != 0 {
		return revision{}
	}
	return revision{info.Size(), info.ModTime(), time.Unix(info.Sys().(*syscall.Stat_t).Ctim.Unix())}
}

// valueCache has values of a folder at one revision. Nil stands for an absent value.
type valueCache struct {
	revision revision
	values   map[string][]byte
	bytes    int
}

// validate must be called before the reads of a batch, with the current revision.
func (cache *valueCache) validate(current revision) {
	if current != cache.revision || current == (revision{}) {
		*cache = valueCache{revision: current, values: map[string][]byte{}}
	}
}

// find reports whether the value is cached.
func (cache *valueCache) find(key string) (value []byte, found bool) {
	value, found = cache.values[key]
	return value, found
}

// insert caches what was read after validate.
func (cache *valueCache) insert(key string, value []byte) {
	if cache.revision == (revision{}) || isVolatile(key) {
		return
	}
	if cache.bytes += entrySize + len(value); cache.bytes > maxCachedBytes {
		clear(cache.values)
		cache.bytes = 0
		return
	}
	cache.values[key] = value
}
