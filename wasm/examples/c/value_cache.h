// A cache of the values of files, validated by stat. A cached value is valid while its name refers to the same file,
// and the file's size and times are unchanged. The times must be older than the read by a minimum age. One thread.
#ifndef VALUE_CACHE_H
#define VALUE_CACHE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

enum { MAX_CACHED_VALUES = 64 };

// One instant on two clocks: the wall clock, which sets the times of files, and a monotonic clock.
typedef struct {
  struct timespec wall;
  struct timespec steady;
} ClockReading;

typedef struct {
  char* key;  // null: the slot is free
  uint8_t* bytes;
  struct stat status;
  ClockReading read;
} CachedValue;

// Zero-initialized, it is empty.
typedef struct {
  CachedValue values[MAX_CACHED_VALUES];
  unsigned next;  // the slot that is reused next
} ValueCache;

ClockReading read_clocks(void);

// Returns the cached value of the key, which must be validated; null on a miss.
CachedValue* cache_find(ValueCache* cache, const char* key);

// Returns whether the value is valid for a file that has `status` at `now`.
int cache_is_valid(const CachedValue* value, const struct stat* status, ClockReading now);

void cache_evict(CachedValue* value);

// Caches `bytes`, which were read after a stat at `before` returned `status`, unless a later change could not be
// detected.
void cache_insert(ValueCache* cache, const char* key, const struct stat* status, ClockReading before,
                  const uint8_t* bytes, size_t size);

#endif
