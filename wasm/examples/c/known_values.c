#include "known_values.h"

#include <stdlib.h>
#include <string.h>

// A change that comes at least this long after the one before has other times than that, on every file system: the
// coarsest has two seconds; the rest is for a clock that is set back by no more than the tolerance.
static const int64_t margin = 4 * (int64_t)1000000000, tolerance = 1 * (int64_t)1000000000;

static int64_t nanoseconds(struct timespec time) { return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec; }

static int is_same_time(struct timespec a, struct timespec b) { return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec; }

// A change after the clock was set back could have the times of the change before.
static int was_set_back(Moment then, Moment now) {
  return nanoseconds(now.wall) - nanoseconds(then.wall) <
         nanoseconds(now.steady) - nanoseconds(then.steady) - tolerance;
}

Moment moment_now(void) {
  Moment now;
  clock_gettime(CLOCK_REALTIME, &now.wall);
  clock_gettime(CLOCK_MONOTONIC, &now.steady);
  return now;
}

KnownValue* known_find(KnownValues* known, const char* key) {
  for (KnownValue* value = known->values; value < known->values + MOST_KNOWN; ++value) {
    if (value->key && strcmp(value->key, key) == 0) return value;
  }
  return NULL;
}

int known_is_same(const KnownValue* value, const struct stat* status, Moment now) {
  return value->status.st_dev == status->st_dev && value->status.st_ino == status->st_ino &&
         value->status.st_size == status->st_size && is_same_time(value->status.st_mtim, status->st_mtim) &&
         is_same_time(value->status.st_ctim, status->st_ctim) && !was_set_back(value->read, now);
}

void known_forget(KnownValue* value) {
  free(value->key);
  free(value->bytes);
  *value = (KnownValue){0};
}

void known_keep(KnownValues* known, const char* key, const struct stat* status, Moment before, const uint8_t* bytes,
                size_t size) {
  const int64_t latest = nanoseconds(before.wall) - margin;
  const int is_settled = nanoseconds(status->st_mtim) <= latest && nanoseconds(status->st_ctim) <= latest;
  // Of another size, it has changed between the look and the reading.
  if (!is_settled || (size_t)status->st_size != size) return;
  KnownValue* const value = &known->values[known->next++ % MOST_KNOWN];
  known_forget(value);
  value->bytes = malloc(size + 1);
  value->key = value->bytes ? strdup(key) : NULL;
  if (!value->key) return known_forget(value);
  memcpy(value->bytes, bytes, size);
  value->status = *status;
  value->read = before;
}
