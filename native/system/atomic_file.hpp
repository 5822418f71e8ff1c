// Writes files as a whole, as the owner of their folder.
#pragma once

#include <cstddef>
#include <expected>
#include <filesystem>
#include <string>
#include <string_view>

#include <sys/types.h>

#include "core/storage/folder/descriptor.hpp"

namespace portail {

// Root writes the files of a folder as the folder's owner, so that a service that runs as that user can read them.

// While it exists, this thread opens and creates files as the owner of `folder`, or of the nearest parent that exists.
// Has no effect unless the process is root. Objects may be nested: the innermost one counts.
class FolderOwner {
 public:
  explicit FolderOwner(const std::filesystem::path& folder);
  FolderOwner(const FolderOwner&) = delete;
  FolderOwner& operator=(const FolderOwner&) = delete;
  ~FolderOwner();

 private:
  uid_t user_before_ = 0;
  gid_t group_before_ = 0;
  bool is_root_;
};

// A fault if the process is root and the file exists and belongs to another user than its folder: one of both cannot be
// used by the service.
std::expected<void, std::string> check_owner(const std::filesystem::path& folder, const char* file);

// The command that gives the files of a folder to the folder's owner, for messages.
std::string owner_hint(const std::filesystem::path& folder);

// Writes files atomically: readers see the old file or the complete new one. One thread.

// Creates the directory and its missing parents, with mode 0700. The error is an errno.
std::expected<void, int> create_private_directories(const std::string& folder);

// Writes all bytes. The error is an errno.
std::expected<void, int> write_all(int file, std::string_view bytes);

// A file that replaces the file of its name when it is complete. Until then it is .portail-….unfinished in the same
// directory; the destructor removes it unless it was published. Its mode is 0600, or that of create(). Errors are
// errnos; after one, the file cannot be used.
class AtomicFile {
 public:
  // Creates the file `path`; a symbolic link of that name is replaced, not followed. `mode` is independent of the
  // umask.
  static std::expected<AtomicFile, int> create(const std::string& path, mode_t mode = 0600);
  // The same, but a link means its target, and a path that is not a regular file (a pipe, a terminal, a device) is
  // opened and written directly.
  static std::expected<AtomicFile, int> create_or_open(const std::string& path);
  static AtomicFile standard_output();

  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;
  ~AtomicFile();

  std::expected<void, int> write(std::string_view bytes);
  // Discards what was written. Returns false if a reader may have it already: of a pipe, a terminal, a device.
  std::expected<bool, int> restart();
  // Flushes and syncs the file, and closes it. Call it once.
  std::expected<void, int> finish();
  // Renames the file to its path. Requires finish().
  std::expected<void, int> publish();

  // Replaces the file `path` by one with this content.
  static std::expected<void, int> replace(const std::string& path, std::string_view content, mode_t mode = 0600);

 private:
  AtomicFile(Descriptor file, std::string path, std::string temporary)
      : file_(std::move(file)), path_(std::move(path)), temporary_path_(std::move(temporary)) {}
  std::expected<void, int> flush_buffer();

  Descriptor file_;
  std::string path_;
  std::string temporary_path_;  // empty: written directly, or published
  std::string buffer_;
  bool is_flushed_ = false;  // bytes have left the buffer
};

}  // namespace portail
