// A store with one file for each key, in the layout of the native program's `dir:` store (docs/reference/stores.md).
// One thread at a time.
#ifndef FOLDER_STORE_H
#define FOLDER_STORE_H

#include <stddef.h>
#include <stdint.h>

#include "bytes.h"
#include "value_cache.h"

enum { MAX_VALUE_SIZE = 256 * 1024, MAX_KEY_SIZE = 200 };

typedef struct {
  int folder;
  int unfinished;
  ValueCache cache;
  uint8_t read[MAX_VALUE_SIZE + 1];
} FolderStore;

typedef enum { STORE_DONE, STORE_ABSENT, STORE_UNAVAILABLE, STORE_DAMAGED } StoreResult;

// Opens the folder, and creates it if it is missing. Returns false and sets errno on failure.
int store_open(FolderStore* store, const char* folder);

// `value` belongs to the store, and is valid until the next call.
StoreResult store_get(FolderStore* store, Text key, Text* value);

// Returns when the value is durable. Readers see either the old or the new value as a whole.
StoreResult store_put(const FolderStore* store, Text key, const uint8_t* value, size_t size);

// Succeeds if the key has no value.
StoreResult store_remove(const FolderStore* store, Text key);

#endif
