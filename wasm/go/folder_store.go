package portail

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"syscall"
)

const maxValueSize = 256 * 1024

var keys = regexp.MustCompile(`^[a-z0-9A-F_=.-]{1,200}$`)

// FolderStore has one file for each key, in the layout of the native program's `dir:` store (docs/reference/stores.md), which other
// programs may use concurrently. One goroutine at a time.
type FolderStore struct {
	folder string
	cache  valueCache
}

// OpenFolderStore opens the folder of a portal. The error is one line for the operator.
func OpenFolderStore(folder string) (*FolderStore, error) {
	return openFolderStore(folder, false)
}

// CreateFolderStore is OpenFolderStore, but makes the folder if it is missing, and accepts an empty one.
func CreateFolderStore(folder string) (*FolderStore, error) {
	if err := makeFolder(folder); err != nil {
		return nil, err
	}
	return openFolderStore(folder, true)
}

func openFolderStore(folder string, mayBeEmpty bool) (*FolderStore, error) {
	if err := checkFolder(folder, mayBeEmpty); err != nil {
		return nil, err
	}
	if err := makeFolder(filepath.Join(folder, "~writers")); err != nil {
		return nil, err
	}
	return &FolderStore{folder: folder}, nil
}

// checkFolder returns why the folder is not a portal's.
func checkFolder(folder string, mayBeEmpty bool) error {
	remedy := "`portail import --store dir:" + folder + " DOCUMENT` makes one there"
	info, err := os.Stat(folder)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return fmt.Errorf("%s does not exist: %s", folder, remedy)
	}
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a folder", folder)
	}
	if _, err := os.Stat(filepath.Join(folder, "format")); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	hasWriters := slices.ContainsFunc(entries, func(entry fs.DirEntry) bool { return entry.Name() == "~writers" })
	other := slices.IndexFunc(entries, func(entry fs.DirEntry) bool { return entry.Name()[0] != '~' && entry.Name() != "lost+found" })
	if other >= 0 && !hasWriters {
		return fmt.Errorf("%s holds other files and no store (%s): name an empty or a new folder", folder, entries[other].Name())
	}
	if !mayBeEmpty {
		return fmt.Errorf("%s holds no portal: %s", folder, remedy)
	}
	return nil
}

func makeFolder(path string) error {
	if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// GetMany returns a value for each key, nil for an absent one. The caller must not change the bytes.
func (store *FolderStore) GetMany(keys []string) ([][]byte, error) {
	store.cache.validate(statRevision(filepath.Join(store.folder, "~revision")))
	values := make([][]byte, len(keys))
	for i, key := range keys {
		var err error
		if values[i], err = store.get(key); err != nil {
			return nil, err
		}
	}
	return values, nil
}

func (store *FolderStore) get(key string) ([]byte, error) {
	if value, found := store.cache.find(key); found {
		return value, nil
	}
	path, err := store.path(key)
	if err != nil {
		return nil, err
	}
	value, err := read(path)
	if err == nil {
		store.cache.insert(key, value)
	}
	return value, err
}

// read returns nil if there is no file.
func read(path string) ([]byte, error) {
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
	return value, err
}

// Put returns when the value is durable. Readers see either the old or the new value as a whole.
func (store *FolderStore) Put(key string, value []byte) error {
	_, err := store.change(key, value, (*folderLease).replace, nil)
	return err
}

// CompareAndSwap sets the value to `desired` if it is `expected` (nil: absent), and reports whether it did. Atomic among all programs.
func (store *FolderStore) CompareAndSwap(key string, expected, desired []byte) (bool, error) {
	return store.change(key, desired, (*folderLease).replace, func(value []byte) bool {
		return (value == nil) == (expected == nil) && bytes.Equal(value, expected)
	})
}

// Remove succeeds if the key has no value.
func (store *FolderStore) Remove(key string) error {
	_, err := store.change(key, nil, (*folderLease).remove, nil)
	return err
}

type (
	applyFunc     func(lease *folderLease, path string) error
	conditionFunc func(value []byte) bool // of the stored value; nil: none
)

// change reports whether the condition was true and the change was made.
func (store *FolderStore) change(key string, value []byte, apply applyFunc, condition conditionFunc) (bool, error) {
	path, err := store.path(key)
	if err != nil {
		return false, err
	}
	lease, err := acquireLease(store.folder, value)
	if err != nil {
		return false, err
	}
	changed, err := changeLeased(lease, key, path, apply, condition)
	lease.release() // before the sync, for which other writers need not wait
	if changed {
		err = store.syncNames()
	}
	return changed && err == nil, err
}

func changeLeased(lease *folderLease, key, path string, apply applyFunc, condition conditionFunc) (bool, error) {
	if condition != nil {
		if value, err := read(path); err != nil || !condition(value) {
			return false, err
		}
	}
	if !isVolatile(key) {
		if err := lease.beginRevision(); err != nil {
			return false, err
		}
	}
	err := apply(lease, path)
	return err == nil, err
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
