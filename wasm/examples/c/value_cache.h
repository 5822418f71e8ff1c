// A cache of the values of a folder at one revision: until the file ~revision changes, no value has changed
// (folder_lease.h). One thread.
#ifndef VALUE_CACHE_H
#define VALUE_CACHE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "bytes.h"

enum { MAX_VALUE_SIZE = 256 * 1024, MAX_KEY_SIZE = 200, CACHE_SLOTS = 1024 };

// The state of the file ~revision. Zero: there is none, or a writer has begun a change and not finished it.
typedef struct {
  off_t size;
  struct timespec modified;
  struct timespec changed;
} Revision;

typedef struct {
  char key[MAX_KEY_SIZE + 1];
  int is_absent;
  size_t size;
  uint8_t bytes[];
} CachedValue;

// Zero-initialized, it is empty.
typedef struct {
  Revision revision;
  CachedValue* slots[CACHE_SLOTS];  // by the hash of the key; null: free
  size_t bytes;                     // of all values
} ValueCache;

// Empties the cache if the revision of the folder is not that of its values. Must be called before the reads of a
// batch.
void cache_validate(ValueCache* cache, int folder);

// Returns null on a miss.
const CachedValue* cache_find(const ValueCache* cache, const char* key);

// Caches what was read after cache_validate; no bytes: the key has no value.
void cache_insert(ValueCache* cache, const char* key, const uint8_t* bytes, size_t size);

// Returns whether reading changes the key, which does not change the revision. Each read reads its current value.
int is_volatile(const char* key);

#endif
