// One file a key, as docs/reference/stores.md lays out the native program's `dir:` store. One thread at a time.
#ifndef FOLDER_STORE_H
#define FOLDER_STORE_H

#include <stddef.h>
#include <stdint.h>

#include "known_values.h"

enum { LARGEST_VALUE = 256 * 1024, LARGEST_KEY = 200 };

typedef struct {
  int folder;
  int unfinished;
  KnownValues known;
  uint8_t read[LARGEST_VALUE + 1];
} FolderStore;

typedef struct {
  const char* bytes;
  size_t size;
} Text;

typedef enum { STORE_DONE, STORE_ABSENT, STORE_UNAVAILABLE, STORE_DAMAGED } StoreResult;

// Makes the folder where it is missing. False: errno says why not.
int store_open(FolderStore* store, const char* folder);

// `value` is the store's, until the next call.
StoreResult store_get(FolderStore* store, Text key, Text* value);

// Returns once the value would survive a power loss. Readers see the old one or the new one, whole.
StoreResult store_put(const FolderStore* store, Text key, const uint8_t* value, size_t size);

// That there was no value is success.
StoreResult store_remove(const FolderStore* store, Text key);

#endif
