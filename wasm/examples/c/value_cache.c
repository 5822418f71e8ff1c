#include "value_cache.h"

#include <stdlib.h>
#include <string.h>

// Minimum age of a file's times when it is read. Two changes that are this far apart have different times on every file
// system: the coarsest resolution is two seconds. The rest allows for a wall clock that is set back by at most
// clock_tolerance. Nanoseconds.
static const int64_t min_age = 4 * (int64_t)1000000000, clock_tolerance = 1 * (int64_t)1000000000;

static int64_t nanoseconds(struct timespec time) { return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec; }

static int is_same_time(struct timespec a, struct timespec b) { return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec; }

// Returns whether the wall clock was set back: a later change could then repeat earlier times.
static int was_set_back(ClockReading then, ClockReading now) {
  return nanoseconds(now.wall) - nanoseconds(then.wall) <
         nanoseconds(now.steady) - nanoseconds(then.steady) - clock_tolerance;
}

ClockReading read_clocks(void) {
  ClockReading now;
  clock_gettime(CLOCK_REALTIME, &now.wall);
  clock_gettime(CLOCK_MONOTONIC, &now.steady);
  return now;
}

CachedValue* cache_find(ValueCache* cache, const char* key) {
  for (CachedValue* value = cache->values; value < cache->values + MAX_CACHED_VALUES; ++value) {
    if (value->key && strcmp(value->key, key) == 0) return value;
  }
  return NULL;
}

int cache_is_valid(const CachedValue* value, const struct stat* status, ClockReading now) {
  return value->status.st_dev == status->st_dev && value->status.st_ino == status->st_ino &&
         value->status.st_size == status->st_size && is_same_time(value->status.st_mtim, status->st_mtim) &&
         is_same_time(value->status.st_ctim, status->st_ctim) && !was_set_back(value->read, now);
}

void cache_evict(CachedValue* value) {
  free(value->key);
  free(value->bytes);
  *value = (CachedValue){0};
}

void cache_insert(ValueCache* cache, const char* key, const struct stat* status, ClockReading before,
                  const uint8_t* bytes, size_t size) {
  const int64_t latest = nanoseconds(before.wall) - min_age;
  const int is_settled = nanoseconds(status->st_mtim) <= latest && nanoseconds(status->st_ctim) <= latest;
  // If the sizes differ, the file changed between the stat and the read.
  if (!is_settled || (size_t)status->st_size != size) return;
  CachedValue* const value = &cache->values[cache->next++ % MAX_CACHED_VALUES];
  cache_evict(value);
  value->bytes = malloc(size + 1);
  value->key = value->bytes ? strdup(key) : NULL;
  if (!value->key) return cache_evict(value);
  memcpy(value->bytes, bytes, size);
  value->status = *status;
  value->read = before;
}
