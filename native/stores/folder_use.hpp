// Locks of the processes that use the store in a folder or import into it, and whether its file was replaced.
#pragma once

#include <atomic>
#include <expected>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <sys/stat.h>
#include <sys/types.h>

#include "native/stores/store_scheme.hpp"

namespace portail {

// Locks that show which processes use the store in a folder. Each process locks the folder itself, so moving its files
// does not matter, and the lock ends with the process. `folder` is a descriptor of the folder; its locks end when it is
// closed. Codes are errno values, 0 for success.

// Waits for the exclusive right to open, create or restore a store there.
int lock_folder(int folder);
// Releases that right.
void unlock_folder(int folder);

// Marks the store as used until the descriptor is closed.
int mark_folder_used(int folder);
// Returns whether another descriptor has marked the store as used.
std::expected<bool, int> is_folder_used(int folder);

// The lock that allows one import at a time into a folder (docs/how-to/import.md, "What it does"). The importing
// process holds it, and it ends with that process. It does not block readers and servers.

// Locks the file `name` in `folder`, which must exist. The file is for this lock only. The error is one line: another
// import holds the lock, or the file cannot be created.
std::expected<HeldImportLock, std::string> acquire_folder_import_lock(const std::filesystem::path& folder,
                                                                      std::string_view name = "import.lock");

// Returns whether the locked file is still the one of that name: another import would lock a file that replaced it.
[[nodiscard]] bool holds_folder_import_lock(const HeldImportLock& lock);

// The identity of an open file or folder, and the path that it was opened by. Any thread.

class OpenedFile {
 public:
  OpenedFile(std::filesystem::path path, const struct stat& opened)
      : path_(std::move(path)), device_(opened.st_dev), inode_(opened.st_ino), size_(opened.st_size) {}

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  // Returns why the path no longer leads to this file, as one line; nullopt if it does. One system call.
  std::optional<std::string> fault();

 private:
  const std::filesystem::path path_;
  const dev_t device_;
  const ino_t inode_;
  std::atomic<off_t> size_;  // the largest size seen: a file of a store does not shrink while it is open
};

}  // namespace portail
