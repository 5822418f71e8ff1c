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

const largestValue = 256 * 1024

// ErrDamaged says that something is in a value's place that is no value. Any other error: not now.
var ErrDamaged = errors.New("damaged")

var keys = regexp.MustCompile(`^[a-z0-9A-F_=.-]{1,200}$`)

// FolderStore keeps one file a key, as docs/reference/stores.md lays out the native program's `dir:` store. One goroutine at a time.
type FolderStore struct {
	folder string
	// No key has a "~". Here the native program looks for what was left behind, and removes it.
	unfinished string
	known      knownValues
}

// OpenFolderStore makes the folder where it is missing.
func OpenFolderStore(folder string) (*FolderStore, error) {
	store := &FolderStore{folder, filepath.Join(folder, "~writers"), knownValues{}}
	for _, path := range []string{store.folder, store.unfinished} {
		if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
	return store, nil
}

// Get is nil where there is no value. The bytes are the store's.
func (store *FolderStore) Get(key string) ([]byte, error) {
	path, err := store.path(key)
	if err != nil {
		return nil, err
	}
	if value := store.known.find(path); value != nil {
		return value, nil
	}
	now := time.Now()
	// Whatever is there, opening it neither follows a link nor waits: not for the writer of a FIFO.
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
	about, err := file.Stat()
	if err != nil || !about.Mode().IsRegular() || about.Size() > largestValue {
		return nil, fmt.Errorf("%w: %s is not a file of at most 256 KiB", ErrDamaged, path)
	}
	value := make([]byte, about.Size())
	n, err := io.ReadFull(file, value)
	if value = value[:n]; errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil // it became shorter
	}
	if err == nil {
		store.known.keep(path, about, now, value)
	}
	return value, err
}

// Put returns once the value would survive a power loss. Readers see the old one or the new one, whole.
func (store *FolderStore) Put(key string, value []byte) error {
	path, err := store.path(key)
	if err != nil {
		return err
	}
	file, err := os.CreateTemp(store.unfinished, "")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name()) // nothing is there where all went well
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

// CompareAndSwap reports whether the value was `expected`, nil for none, and is now `desired`.
func (store *FolderStore) CompareAndSwap(key string, expected, desired []byte) (bool, error) {
	value, err := store.Get(key)
	if err != nil || (value == nil) != (expected == nil) || !bytes.Equal(value, expected) {
		return false, err
	}
	return true, store.Put(key, desired)
}

// Remove of what is not there is success.
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
		return "", fmt.Errorf("%q is no key", key)
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
