package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"syscall"
	"time"
)

const maxValueSize = 256 * 1024

// ErrDamaged means that the file of a key is not a valid value. All other errors mean an unavailable store.
var ErrDamaged = errors.New("damaged")

var keys = regexp.MustCompile(`^[a-z0-9A-F_=.-]{1,200}$`)

// FolderStore has one file for each key, in the layout of the native program's `dir:` store (docs/reference/stores.md). One goroutine at
// a time.
type FolderStore struct {
	folder string
	// Keys contain no "~". The native program removes stale files in this folder.
	unfinished string
	cache      valueCache
}

// OpenFolderStore opens the folder, and creates it if it is missing.
func OpenFolderStore(folder string) (*FolderStore, error) {
	store := &FolderStore{folder, filepath.Join(folder, "~writers"), valueCache{}}
	for _, path := range []string{store.folder, store.unfinished} {
		if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
	return store, nil
}

// Get returns nil if there is no value. The caller must not change the bytes.
func (store *FolderStore) Get(key string) ([]byte, error) {
	path, err := store.path(key)
	if err != nil {
		return nil, err
	}
	if value := store.cache.find(path); value != nil {
		return value, nil
	}
	now := time.Now()
	// Without following links or blocking: a FIFO would wait for its writer.
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if errors.Is(err, syscall.ELOOP) || errors.Is(err, syscall.ENXIO) {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxValueSize {
		return nil, fmt.Errorf("%w: %s is not a file of at most 256 KiB", ErrDamaged, path)
	}
	value := make([]byte, info.Size())
	n, err := io.ReadFull(file, value)
	if value = value[:n]; errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil // the file was truncated
	}
	if err == nil {
		store.cache.insert(path, info, now, value)
	}
	return value, err
}

// Put returns when the value is durable. Readers see either the old or the new value as a whole.
func (store *FolderStore) Put(key string, value []byte) error {
	path, err := store.path(key)
	if err != nil {
		return err
	}
	file, err := os.CreateTemp(store.unfinished, "")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name()) // no effect after the rename
	_, err = file.Write(value)
	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return err
	}
	return store.syncNames()
}

// CompareAndSwap sets the value to `desired` if it is `expected` (nil: absent), and reports whether it did.
func (store *FolderStore) CompareAndSwap(key string, expected, desired []byte) (bool, error) {
	value, err := store.Get(key)
	if err != nil || (value == nil) != (expected == nil) || !bytes.Equal(value, expected) {
		return false, err
	}
	return true, store.Put(key, desired)
}

// Remove succeeds if the key has no value.
func (store *FolderStore) Remove(key string) error {
	path, err := store.path(key)
	if err != nil {
		return err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return store.syncNames()
}

func (store *FolderStore) path(key string) (string, error) {
	if !keys.MatchString(key) || key == "." || key == ".." {
		return "", fmt.Errorf("%q is not a valid key", key)
	}
	return filepath.Join(store.folder, key), nil
}

func (store *FolderStore) syncNames() error {
	folder, err := os.Open(store.folder)
	if err != nil {
		return err
	}
	defer folder.Close()
	return folder.Sync()
}
