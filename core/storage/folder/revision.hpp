// The revision of a folder: one stat validates all cached values.
//
// The file ~revision has no content, only a size: odd while a writer is at work or after it was killed, otherwise even.
// A writer replaces the file by a larger one before its first change and after its last one. It does so by a rename out
// of its lease, which fails if the lease was revoked (folder_writer.hpp). If two stats find the same even size, no
// value has changed between them. The times detect a folder that was restored from a backup.
//
// Keys that a reading person changes (is_volatile_key in core/storage/key.hpp) do not move the revision. Files that are
// changed by hand do not either: `portail touch` moves it. Values; any thread.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>

#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/storage/folder/folder_check.hpp"

namespace portail {

struct Revision {
  std::uint64_t size = 0;
  std::int64_t modified = 0;  // mtime in nanoseconds since 1970
  std::int64_t changed = 0;   // ctime as the host defines it

  friend bool operator==(const Revision&, const Revision&) = default;
};

// Returns whether a writer began and has not finished.
constexpr bool is_unfinished(const Revision& revision) { return revision.size % 2 != 0; }

// Returns the revision of the folder; nullopt if there is none, because no writer has made one yet. Fails if the stat
// does.
std::expected<std::optional<Revision>, FolderFault> stat_revision(int folder);

// Reads the revision of one folder.
class RevisionReader {
 public:
  virtual ~RevisionReader() = default;
  // Returns the revision at some time during the call; nullopt if there is none, or the stat fails.
  virtual Task<std::optional<Revision>> read(Context& context) = 0;
};

}  // namespace portail
