#include "folder_store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folder_lease.h"

typedef struct {
  char bytes[MAX_KEY_SIZE + 1];
} Name;

static int name_of(Text key, Name* name) {
  static const char alphabet[] = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEF_=.-";
  if (key.size == 0 || key.size > MAX_KEY_SIZE) return 0;
  memcpy(name->bytes, key.bytes, key.size);
  name->bytes[key.size] = 0;
  return strspn(name->bytes, alphabet) == key.size && strcmp(name->bytes, ".") != 0 && strcmp(name->bytes, "..") != 0;
}

static StoreResult failed(const char* what) {
  fprintf(stderr, "store: %s: %s\n", what, strerror(errno));
  return STORE_UNAVAILABLE;
}

int store_open(FolderStore* store, const char* folder) {
  if (mkdir(folder, 0700) != 0 && errno != EEXIST) return 0;
  store->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return store->folder >= 0 && (mkdirat(store->folder, WRITERS_FOLDER, 0700) == 0 || errno == EEXIST);
}

void store_begin_batch(FolderStore* store) { cache_validate(&store->cache, store->folder); }

static StoreResult read_value(FolderStore* store, const char* name, Text* value) {
  // Without following links or blocking: a FIFO would wait for its writer.
  const int file = openat(store->folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (file < 0 && errno == ENOENT) return STORE_ABSENT;
  if (file < 0 && errno != ELOOP && errno != ENXIO) return failed(name);
  struct stat status;
  if (file < 0 || fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size > MAX_VALUE_SIZE) {
    if (file >= 0) close(file);
    fprintf(stderr, "store: %s is not a regular file of at most 256 KiB\n", name);
    return STORE_DAMAGED;
  }
  size_t size = 0;
  ssize_t got = 1;
  while (got > 0 && size < MAX_VALUE_SIZE) {
    got = read(file, store->read + size, MAX_VALUE_SIZE - size);
    if (got > 0) size += (size_t)got;
  }
  const int fault = got < 0 ? errno : 0;
  close(file);
  errno = fault;
  if (fault) return failed(name);
  *value = (Text){(const char*)store->read, size};
  return STORE_DONE;
}

StoreResult store_get(FolderStore* store, Text key, Text* value) {
  Name name;
  if (!name_of(key, &name)) return STORE_UNAVAILABLE;
  const CachedValue* const cached = cache_find(&store->cache, name.bytes);
  if (cached) {
    *value = (Text){(const char*)cached->bytes, cached->size};
    return cached->is_absent ? STORE_ABSENT : STORE_DONE;
  }
  const StoreResult result = read_value(store, name.bytes, value);
  if (result == STORE_DONE) cache_insert(&store->cache, name.bytes, store->read, value->size);
  if (result == STORE_ABSENT) cache_insert(&store->cache, name.bytes, NULL, 0);
  return result;
}

typedef struct {
  const Text* value;     // null: removes the key
  int is_conditional;    // makes the change only if the value is `expected`
  const Text* expected;  // null: absent
} Change;

static StoreResult check_condition(FolderStore* store, const char* name, const Text* expected) {
  Text value;
  const StoreResult result = read_value(store, name, &value);
  if (result == STORE_ABSENT) return expected ? STORE_DIFFERENT : STORE_DONE;
  if (result != STORE_DONE) return result;
  const int is_equal =
      expected && value.size == expected->size && memcmp(value.bytes, expected->bytes, value.size) == 0;
  return is_equal ? STORE_DONE : STORE_DIFFERENT;
}

static StoreResult apply(FolderStore* store, FolderLease* lease, const char* name, const Change* change) {
  if (change->is_conditional) {
    const StoreResult result = check_condition(store, name, change->expected);
    if (result != STORE_DONE) return result;
  }
  if (!is_volatile(name) && !lease_begin_revision(lease)) return failed(name);
  return (change->value ? lease_replace(lease, name) : lease_remove(lease, name)) ? STORE_DONE : failed(name);
}

static StoreResult make_change(FolderStore* store, Text key, Change change) {
  Name name;
  if (!name_of(key, &name)) return STORE_UNAVAILABLE;
  FolderLease lease;
  const Text staged = change.value ? *change.value : (Text){0};
  const StoreResult result = lease_acquire(&lease, store->folder, (const uint8_t*)staged.bytes, staged.size)
                                 ? apply(store, &lease, name.bytes, &change)
                                 : failed(name.bytes);
  lease_release(&lease);  // before the sync, for which other writers need not wait
  return result != STORE_DONE || fsync(store->folder) == 0 ? result : failed(name.bytes);
}

StoreResult store_put(FolderStore* store, Text key, Text value) {
  return make_change(store, key, (Change){.value = &value});
}

StoreResult store_remove(FolderStore* store, Text key) { return make_change(store, key, (Change){0}); }

StoreResult store_compare_and_swap(FolderStore* store, Text key, const Text* expected, Text desired) {
  return make_change(store, key, (Change){.value = &desired, .is_conditional = 1, .expected = expected});
}
