package portail

import (
	"bytes"
	"errors"
	"sync"
)

// ErrDamaged is the error, or is wrapped by the error, of a stored value that is not valid: the request gets 500. After other errors of a
// store it gets 503, and the outcome of a write is unknown.
var ErrDamaged = errors.New("damaged")

// Store has the values of a portal by their keys. A portal calls one method at a time, in any goroutine. The slices of values belong to
// the store; a portal does not change them.
type Store interface {
	// GetMany returns a value for each key, nil for an absent one.
	GetMany(keys []string) ([][]byte, error)
	// Put returns when the value is durable.
	Put(key string, value []byte) error
	// Remove succeeds if the key has no value.
	Remove(key string) error
	// CompareAndSwap sets the value to `desired` if it is `expected` (nil: absent), and reports whether it did.
	CompareAndSwap(key string, expected, desired []byte) (bool, error)
}

// MemoryStore has values that end with the process. Its zero value is empty. Any number of portals may use it.
type MemoryStore struct {
	mutex  sync.Mutex
	values map[string][]byte
}

func (store *MemoryStore) GetMany(keys []string) ([][]byte, error) {
	store.mutex.Lock()
	defer store.mutex.Unlock()
	values := make([][]byte, len(keys))
	for i, key := range keys {
		values[i] = store.values[key]
	}
	return values, nil
}

func (store *MemoryStore) Put(key string, value []byte) error {
	store.mutex.Lock()
	defer store.mutex.Unlock()
	store.set(key, value)
	return nil
}

func (store *MemoryStore) Remove(key string) error {
	store.mutex.Lock()
	defer store.mutex.Unlock()
	delete(store.values, key)
	return nil
}

func (store *MemoryStore) CompareAndSwap(key string, expected, desired []byte) (bool, error) {
	store.mutex.Lock()
	defer store.mutex.Unlock()
	value, found := store.values[key]
	if found != (expected != nil) || !bytes.Equal(value, expected) {
		return false, nil
	}
	store.set(key, desired)
	return true, nil
}

func (store *MemoryStore) set(key string, value []byte) {
	if store.values == nil {
		store.values = map[string][]byte{}
	}
	store.values[key] = value
}
