#include "folder_store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Keys contain no "~". The native program removes stale files in this folder.
static const char unfinished_folder[] = "~writers";

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
  if (store->folder < 0) return 0;
  if (mkdirat(store->folder, unfinished_folder, 0700) != 0 && errno != EEXIST) return 0;
  store->unfinished = openat(store->folder, unfinished_folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return store->unfinished >= 0;
}

StoreResult store_get(FolderStore* store, Text key, Text* value) {
  Name name;
  if (!name_of(key, &name)) return STORE_UNAVAILABLE;
  const ClockReading now = read_clocks();
  struct stat status;
  CachedValue* const cached = cache_find(&store->cache, name.bytes);
  if (cached) {
    if (fstatat(store->folder, name.bytes, &status, AT_SYMLINK_NOFOLLOW) == 0 && cache_is_valid(cached, &status, now)) {
      *value = (Text){(const char*)cached->bytes, (size_t)status.st_size};
      return STORE_DONE;
    }
    cache_evict(cached);
  }
  // Without following links or blocking: a FIFO would wait for its writer.
  const int file = openat(store->folder, name.bytes, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (file < 0 && errno == ENOENT) return STORE_ABSENT;
  if (file < 0 && errno != ELOOP && errno != ENXIO) return failed(name.bytes);
  if (file < 0 || fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size > MAX_VALUE_SIZE) {
    if (file >= 0) close(file);
    fprintf(stderr, "store: %s is not a regular file of at most 256 KiB\n", name.bytes);
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
  if (fault) return failed(name.bytes);
  cache_insert(&store->cache, name.bytes, &status, now, store->read, size);
  *value = (Text){(const char*)store->read, size};
  return STORE_DONE;
}

static int write_whole(int file, const uint8_t* bytes, size_t size) {
  while (size > 0) {
    const ssize_t written = write(file, bytes, size);
    if (written < 0) return 0;
    bytes += written;
    size -= (size_t)written;
  }
  return fsync(file) == 0;
}

StoreResult store_put(const FolderStore* store, Text key, const uint8_t* value, size_t size) {
  Name name, temporary;
  if (!name_of(key, &name)) return STORE_UNAVAILABLE;
  // Only one thread writes, so the process id is a unique name. An existing file is a stale one of a process that has
  // ended.
  snprintf(temporary.bytes, sizeof temporary.bytes, "c%ld", (long)getpid());
  if (unlinkat(store->unfinished, temporary.bytes, 0) != 0 && errno != ENOENT) return failed(temporary.bytes);
  const int file = openat(store->unfinished, temporary.bytes, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return failed(name.bytes);
  const int written = write_whole(file, value, size);
  if (close(file) != 0 || !written || renameat(store->unfinished, temporary.bytes, store->folder, name.bytes) != 0) {
    const StoreResult result = failed(name.bytes);
    unlinkat(store->unfinished, temporary.bytes, 0);
    return result;
  }
  return fsync(store->folder) == 0 ? STORE_DONE : failed(name.bytes);
}

StoreResult store_remove(const FolderStore* store, Text key) {
  Name name;
  if (!name_of(key, &name)) return STORE_UNAVAILABLE;
  if (unlinkat(store->folder, name.bytes, 0) != 0 && errno != ENOENT) return failed(name.bytes);
  return fsync(store->folder) == 0 ? STORE_DONE : failed(name.bytes);
}
