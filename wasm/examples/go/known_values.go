package main

import (
	"io/fs"
	"os"
	"syscall"
	"time"
)

const (
	mostKnown = 128
	// A change that comes at least this long after the one before has other times than that, on every file system: the
	// coarsest has two seconds; the rest is for a clock that is set back by no more than the tolerance.
	margin    = 4 * time.Second
	tolerance = time.Second
)

// knownValues are those of files that were read before. One counts as unchanged, without being read again, while the name
// still leads to the same file, its size and times are the same, and these times lie safely before the reading.
type knownValues map[string]knownValue

type knownValue struct {
	bytes []byte
	about fs.FileInfo
	read  time.Time
}

// find is nil where the value must be read.
func (known knownValues) find(path string) []byte {
	value, found := known[path]
	if !found {
		return nil
	}
	now := time.Now()
	about, err := os.Lstat(path)
	if err != nil || !isSame(about, value.about) || wasSetBack(value.read, now) {
		delete(known, path)
		return nil
	}
	return value.bytes
}

// keep is told what was read of a file that was `about` at `before`.
func (known knownValues) keep(path string, about fs.FileInfo, before time.Time, bytes []byte) {
	latest := before.Add(-margin)
	// Of another size, it has changed between the look and the reading.
	if about.ModTime().After(latest) || changed(about).After(latest) || about.Size() != int64(len(bytes)) {
		return
	}
	if len(known) == mostKnown {
		clear(known)
	}
	known[path] = knownValue{bytes, about, before}
}

func isSame(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) && changed(a).Equal(changed(b))
}

// changed is when the file itself was changed: no process can set this time.
func changed(about fs.FileInfo) time.Time {
	return time.Unix(about.Sys().(*syscall.Stat_t).Ctim.Unix())
}

// wasSetBack compares the wall's clock with one that is never set (a time.Time has both): a change after it was set back
// could have the times of the change before.
func wasSetBack(then, now time.Time) bool {
	return now.Round(0).Sub(then.Round(0)) < now.Sub(then)-tolerance
}
