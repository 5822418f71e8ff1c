// A store with one file for each key, in the layout of the native program's `dir:` store (docs/reference/stores.md),
// which other programs may use concurrently. One thread at a time.
#ifndef FOLDER_STORE_H
#define FOLDER_STORE_H

#include "bytes.h"
#include "value_cache.h"

typedef struct {
  int folder;
  ValueCache cache;
  uint8_t read[MAX_VALUE_SIZE + 1];
} FolderStore;

typedef enum { STORE_DONE, STORE_ABSENT, STORE_DIFFERENT, STORE_UNAVAILABLE, STORE_DAMAGED } StoreResult;

// Opens the folder, and creates it if it is missing. Returns false and sets errno on failure.
int store_open(FolderStore* store, const char* folder);

// Must be called before the store_get of one or more keys.
void store_begin_batch(FolderStore* store);

// `value` belongs to the store, and is valid until the next call.
StoreResult store_get(FolderStore* store, Text key, Text* value);

// Returns when the value is durable. Readers see either the old or the new value as a whole.
StoreResult store_put(FolderStore* store, Text key, Text value);

// Succeeds if the key has no value.
StoreResult store_remove(FolderStore* store, Text key);

// Sets the value to `desired` if it is `expected` (null: absent). Returns STORE_DIFFERENT if it is not. Atomic among
// all programs.
StoreResult store_compare_and_swap(FolderStore* store, Text key, const Text* expected, Text desired);

#endif
