// A growable buffer, a text, and the encoding of the ABI.
#ifndef BYTES_H
#define BYTES_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  uint8_t* bytes;
  size_t size;
  size_t capacity;
} Bytes;

typedef struct {
  const char* bytes;
  size_t size;
} Text;

static inline uint8_t* bytes_extend(Bytes* bytes, size_t size) {
  if (bytes->capacity - bytes->size < size) {
    bytes->capacity = 2 * (bytes->size + size);
    bytes->bytes = realloc(bytes->bytes, bytes->capacity);
    if (!bytes->bytes) {
      fputs("out of memory\n", stderr);
      abort();
    }
  }
  bytes->size += size;
  return bytes->bytes + bytes->size - size;
}

static inline void put_number_at(uint8_t* to, uint32_t number) {
  for (int i = 0; i < 4; ++i) to[i] = (uint8_t)(number >> (8 * i));
}

static inline uint32_t number_at(const void* from) {
  const uint8_t* bytes = from;
  return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static inline void append_number(Bytes* bytes, uint32_t number) { put_number_at(bytes_extend(bytes, 4), number); }

static inline void append_text(Bytes* bytes, const void* text, size_t size) {
  append_number(bytes, (uint32_t)size);
  if (size > 0) memcpy(bytes_extend(bytes, size), text, size);
}

#endif
