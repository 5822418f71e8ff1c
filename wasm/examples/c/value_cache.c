#include "value_cache.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "folder_lease.h"

static const size_t max_bytes = 16 * 1024 * 1024;

static int is_same_time(struct timespec a, struct timespec b) { return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec; }

static int is_same(const Revision* a, const Revision* b) {
  return a->size == b->size && is_same_time(a->modified, b->modified) && is_same_time(a->changed, b->changed);
}

static Revision stat_revision(int folder) {
  struct stat status;
  if (fstatat(folder, REVISION_FILE, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode) ||
      status.st_size % 2 != 0) {
    return (Revision){0};
  }
  return (Revision){status.st_size, status.st_mtim, status.st_ctim};
}

// FNV-1a.
static size_t slot_of(const char* key) {
  uint32_t hash = 2166136261;
  for (; *key; ++key) hash = (hash ^ (uint8_t)*key) * 16777619;
  return hash % CACHE_SLOTS;
}

static void evict(ValueCache* cache, size_t slot) {
  if (!cache->slots[slot]) return;
  cache->bytes -= cache->slots[slot]->size;
  free(cache->slots[slot]);
  cache->slots[slot] = NULL;
}

static void clear(ValueCache* cache) {
  for (size_t slot = 0; slot < CACHE_SLOTS; ++slot) evict(cache, slot);
}

void cache_validate(ValueCache* cache, int folder) {
  const Revision revision = stat_revision(folder);
  if (is_same(&revision, &cache->revision)) return;
  clear(cache);
  cache->revision = revision;
}

const CachedValue* cache_find(const ValueCache* cache, const char* key) {
  const CachedValue* const value = cache->slots[slot_of(key)];
  return value && strcmp(value->key, key) == 0 ? value : NULL;
}

void cache_insert(ValueCache* cache, const char* key, const uint8_t* bytes, size_t size) {
  if (cache->revision.size == 0 || is_volatile(key)) return;
  const size_t slot = slot_of(key);
  evict(cache, slot);
  if (cache->bytes + size > max_bytes) clear(cache);
  CachedValue* const value = malloc(sizeof *value + size);
  if (!value) return;
  strcpy(value->key, key);
  value->is_absent = !bytes;
  value->size = size;
  if (size > 0) memcpy(value->bytes, bytes, size);
  cache->slots[slot] = value;
  cache->bytes += size;
}

int is_volatile(const char* key) {
  static const char* const prefixes[] = {"consultation.", "audit.", "config."};
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; ++i) {
    if (strncmp(key, prefixes[i], strlen(prefixes[i])) == 0) return 1;
  }
  return 0;
}
