// Values of files that were read before, and when they count as unchanged without being read again: while the name
// still leads to the same file, its size and times are the same, and these times lie safely before the reading. One
// thread.
#ifndef KNOWN_VALUES_H
#define KNOWN_VALUES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

enum { MOST_KNOWN = 64 };

// The same moment on the clock that files are stamped by, and on one that is never set.
typedef struct {
  struct timespec wall;
  struct timespec steady;
} Moment;

typedef struct {
  char* key;  // null: this place is free
  uint8_t* bytes;
  struct stat status;
  Moment read;
} KnownValue;

// Empty when it is all zeros.
typedef struct {
  KnownValue values[MOST_KNOWN];
  unsigned next;  // place to be used anew
} KnownValues;

Moment moment_now(void);

// The value of the key, which a look is worth; null where there is none.
KnownValue* known_find(KnownValues* known, const char* key);

// Whether the file that a look at `now` found to be `status` is the one that was read.
int known_is_same(const KnownValue* value, const struct stat* status, Moment now);

void known_forget(KnownValue* value);

// Keeps what was read of a file that was `status` at `before`, if a later change can be told from it.
void known_keep(KnownValues* known, const char* key, const struct stat* status, Moment before, const uint8_t* bytes,
                size_t size);

#endif
