#include "folder_lease.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// Milliseconds.
enum {
  LEASE_TIMEOUT = 5000,  // after which the lease of the same holder is revoked
  MAX_WAIT = 30000,
  MIN_BACKOFF = 1,  // between two attempts
  MAX_BACKOFF = 16
};
enum { MAX_REFUSALS = 100 };

typedef struct {
  char bytes[PATH_MAX];
} Path;

// A path that is too long becomes the empty one, which does not exist.
static Path join(const char* folder, const char* name) {
  Path path;
  if (snprintf(path.bytes, sizeof path.bytes, "%s/%s", folder, name) >= (int)sizeof path.bytes) *path.bytes = 0;
  return path;
}

static int64_t milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int make_token(char token[TOKEN_SIZE + 1]) {
  uint8_t random[TOKEN_SIZE / 2];
  if (getrandom(random, sizeof random, 0) != sizeof random) return 0;
  for (size_t i = 0; i < sizeof random; ++i) snprintf(token + 2 * i, 3, "%02x", random[i]);
  return 1;
}

// Creates a file, and passes its descriptor to the caller, who closes it. Returns -1 on failure.
static int create_file(int folder, const char* path) {
  return openat(folder, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
}

static int write_synced(int file, const uint8_t* bytes, size_t size) {
  while (size > 0) {
    const ssize_t written = write(file, bytes, size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return 0;
    bytes += written;
    size -= (size_t)written;
  }
  return fsync(file) == 0;
}

static int stage(const FolderLease* lease, const uint8_t* value, size_t size) {
  if (mkdirat(lease->folder, lease->own, 0700) != 0 || mkdirat(lease->folder, lease->inside, 0700) != 0) return 0;
  const int file = create_file(lease->folder, join(lease->inside, "0").bytes);
  if (file < 0) return 0;
  const int written = write_synced(file, value, size);
  return close(file) == 0 && written;
}

// The first entry is empty if the folder is empty or missing.
typedef struct {
  char name[NAME_MAX + 1];
} Entry;

static Entry first_entry(int parent, const char* path) {
  Entry entry = {0};
  const int folder = openat(parent, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR* const listing = folder < 0 ? NULL : fdopendir(folder);
  if (!listing) {
    if (folder >= 0) close(folder);
    return entry;
  }
  const struct dirent* found = readdir(listing);
  while (found && (strcmp(found->d_name, ".") == 0 || strcmp(found->d_name, "..") == 0)) found = readdir(listing);
  if (found) snprintf(entry.name, sizeof entry.name, "%s", found->d_name);
  closedir(listing);
  return entry;
}

// Removes the holder's folder with its files. The holder may have removed it itself.
static void revoke_lease(int folder, const char* lease, const char* holder) {
  const Path held = join(lease, holder);
  Entry file = first_entry(folder, held.bytes);
  while (*file.name && unlinkat(folder, join(held.bytes, file.name).bytes, 0) == 0) {
    file = first_entry(folder, held.bytes);
  }
  unlinkat(folder, held.bytes, AT_REMOVEDIR);
}

static int wait_for_lease(const FolderLease* lease) {
  static const char path[] = WRITERS_FOLDER "/holder";
  const int64_t start = milliseconds();
  int64_t held_since = start;
  Entry last = {0};
  for (int backoff = MIN_BACKOFF;; backoff = backoff < MAX_BACKOFF ? 2 * backoff : MAX_BACKOFF) {
    if (renameat(lease->folder, lease->own, lease->folder, path) == 0) return 1;
    if (errno != ENOTEMPTY && errno != EEXIST) return 0;
    const Entry holder = first_entry(lease->folder, path);
    const int64_t now = milliseconds();
    if (strcmp(holder.name, last.name) != 0) {
      last = holder;
      held_since = now;
    } else if (*holder.name && now - held_since >= LEASE_TIMEOUT) {
      revoke_lease(lease->folder, path, holder.name);
    }
    if (now - start >= MAX_WAIT) {
      errno = ETIMEDOUT;
      return 0;
    }
    nanosleep(&(struct timespec){.tv_nsec = backoff * 1000000L}, NULL);
  }
}

// Replaces the lease of programs that do not know revisions by a file. A holder of theirs loses it.
static int refuse_older_programs(int folder) {
  static const char path[] = WRITERS_FOLDER "/lease";
  for (int attempt = 0; attempt < MAX_REFUSALS; ++attempt) {
    struct stat status;
    if (fstatat(folder, path, &status, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISDIR(status.st_mode)) return 1;
    const Entry holder = first_entry(folder, path);
    if (*holder.name) revoke_lease(folder, path, holder.name);
    unlinkat(folder, path, AT_REMOVEDIR);
    const int file = create_file(folder, path);
    if (file < 0 && errno != EEXIST) return 0;
    if (file >= 0) close(file);
  }
  errno = EBUSY;
  return 0;
}

int lease_acquire(FolderLease* lease, int folder, const uint8_t* value, size_t size) {
  char token[TOKEN_SIZE + 1];
  *lease = (FolderLease){.folder = folder};
  if (!make_token(token)) return 0;
  snprintf(lease->own, sizeof lease->own, WRITERS_FOLDER "/%s", token);
  snprintf(lease->inside, sizeof lease->inside, WRITERS_FOLDER "/%s/%s", token, token);
  snprintf(lease->leased, sizeof lease->leased, WRITERS_FOLDER "/holder/%s", token);
  return stage(lease, value, size) && wait_for_lease(lease) && refuse_older_programs(folder);
}

// Replaces the file by one of that size.
static int set_revision(const FolderLease* lease, off_t size) {
  const Path made = join(lease->leased, "revision");
  const int file = create_file(lease->folder, made.bytes);
  if (file < 0) return 0;
  const int sized = ftruncate(file, size) == 0;
  return close(file) == 0 && sized && renameat(lease->folder, made.bytes, lease->folder, REVISION_FILE) == 0;
}

int lease_begin_revision(FolderLease* lease) {
  struct stat status = {0};
  if (fstatat(lease->folder, REVISION_FILE, &status, AT_SYMLINK_NOFOLLOW) != 0 && errno != ENOENT) return 0;
  lease->revision = status.st_size | 1;
  // Equal: a writer was killed.
  return status.st_size == lease->revision || set_revision(lease, lease->revision);
}

int lease_replace(const FolderLease* lease, const char* name) {
  return renameat(lease->folder, join(lease->leased, "0").bytes, lease->folder, name) == 0;
}

int lease_remove(const FolderLease* lease, const char* name) {
  struct stat status;
  if (renameat(lease->folder, name, lease->folder, join(lease->leased, "0").bytes) == 0) return 1;
  return errno == ENOENT && fstatat(lease->folder, lease->leased, &status, 0) == 0;
}

void lease_release(FolderLease* lease) {
  if (!*lease->own) return;  // without a token
  const int fault = errno;
  // If the revision stays odd, readers read each file until the next write.
  if (lease->revision) set_revision(lease, lease->revision + 1);
  renameat(lease->folder, lease->leased, lease->folder, lease->own);
  const char* const folders[] = {lease->inside, lease->own};
  for (int i = 0; i < 2; ++i) {
    unlinkat(lease->folder, join(folders[i], "0").bytes, 0);
    unlinkat(lease->folder, join(folders[i], "revision").bytes, 0);
    unlinkat(lease->folder, folders[i], AT_REMOVEDIR);
  }
  errno = fault;
}
