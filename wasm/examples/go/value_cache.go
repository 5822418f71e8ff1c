package main

import (
	"io/fs"
	"os"
	"syscall"
	"time"
)

const (
	maxCachedValues = 128
	// Minimum age of a file's times when it is read. Two changes that are this far apart have different times on every file
	// system: the coarsest resolution is two seconds. The rest allows for a wall clock that is set back by at most
	// clockTolerance.
	minAge         = 4 * time.Second
	clockTolerance = time.Second
)

// valueCache is a cache of the values of files, validated by stat. A cached value is valid while its name refers to the same file,
// and the file's size and times are unchanged. The times must be older than the read by a minimum age.
type valueCache map[string]cachedValue

type cachedValue struct {
	bytes []byte
	info  fs.FileInfo
	read  time.Time
}

// find returns nil on a miss.
func (cache valueCache) find(path string) []byte {
	value, found := cache[path]
	if !found {
		return nil
	}
	now := time.Now()
	info, err := os.Lstat(path)
	if err != nil || !isSame(info, value.info) || wasSetBack(value.read, now) {
		delete(cache, path)
		return nil
	}
	return value.bytes
}

// insert caches bytes, which were read after a stat at `before` returned `info`, unless a later change could not be detected.
func (cache valueCache) insert(path string, info fs.FileInfo, before time.Time, bytes []byte) {
	latest := before.Add(-minAge)
	// If the sizes differ, the file changed between the stat and the read.
	if info.ModTime().After(latest) || changed(info).After(latest) || info.Size() != int64(len(bytes)) {
		return
	}
	if len(cache) == maxCachedValues {
		clear(cache)
	}
	cache[path] = cachedValue{bytes, info, before}
}

func isSame(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) && changed(a).Equal(changed(b))
}

// changed returns the file's ctime, which no process can set.
func changed(info fs.FileInfo) time.Time {
	return time.Unix(info.Sys().(*syscall.Stat_t).Ctim.Unix())
}

// wasSetBack reports whether the wall clock was set back, by comparing it with the monotonic clock (a time.Time has both). A later
// change could then repeat earlier times.
func wasSetBack(then, now time.Time) bool {
	return now.Round(0).Sub(then.Round(0)) < now.Sub(then)-clockTolerance
}
