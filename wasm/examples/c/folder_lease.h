// The lease of a folder: of all programs that write to the folder, one at a time holds it
// (core/files/folder_writer.hpp).
//
// A writer creates the folder ~writers/TOKEN/TOKEN with its file. It acquires the lease by renaming ~writers/TOKEN to
// ~writers/holder, which fails while another writer's folder is inside. It makes each change by a rename from or to
// ~writers/holder/TOKEN. If it is killed or suspended, another writer revokes its lease by removing that folder: from
// then on each of its renames fails.
//
// The size of the file ~revision is odd while values change, and even between changes. Readers that find the same even
// one again use the values that they have cached (value_cache.h).
#ifndef FOLDER_LEASE_H
#define FOLDER_LEASE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define WRITERS_FOLDER "~writers"
#define REVISION_FILE "~revision"

enum { TOKEN_SIZE = 32 };

// One write.
typedef struct {
  int folder;
  char own[sizeof WRITERS_FOLDER "/" + TOKEN_SIZE];            // ~writers/TOKEN
  char inside[sizeof WRITERS_FOLDER "//" + 2 * TOKEN_SIZE];    // ~writers/TOKEN/TOKEN, until the lease is acquired
  char leased[sizeof WRITERS_FOLDER "/holder/" + TOKEN_SIZE];  // exists while this writer holds the lease
  off_t revision;                                              // the odd size, after lease_begin_revision; or 0
} FolderLease;

// The functions return false and set errno on failure. ENOENT: the lease was revoked.

// Waits for the lease. `value` is what lease_replace stores. lease_release must be called also on failure.
int lease_acquire(FolderLease* lease, int folder, const uint8_t* value, size_t size);

// To be called before a value changes that readers cache.
int lease_begin_revision(FolderLease* lease);

int lease_replace(const FolderLease* lease, const char* name);

// Succeeds if the file does not exist.
int lease_remove(const FolderLease* lease, const char* name);

// Finishes the revision, and releases the lease, unless another writer has revoked it.
void lease_release(FolderLease* lease);

#endif
