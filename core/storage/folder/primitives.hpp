// The calls of a file system that the store needs, and their errors.
#pragma once

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace portail {

// Why a call of the file system failed. Values.

struct FileError {
  int code = 0;  // an errno

  [[nodiscard]] bool is_missing() const { return code == ENOENT; }
  // A name exists, or a folder has content.
  [[nodiscard]] bool is_occupied() const { return code == EEXIST || code == ENOTEMPTY; }
};

// The calls of a file system by which the folder store writes and lists; it opens and reads by folder_open.cpp and
// value_reader.hpp. By POSIX, or by the host of a module (wasm/module/host_files.cpp). `folder` is the number of an
// open folder, a descriptor; paths are relative to it, with '/'. Files and folders that are created belong to the user
// alone. No call follows a symbolic link in the last part of a path. Any thread, any number of processes.
//
// The store is correct if creations are exclusive and renames atomic, and if they fail as described, also while others
// create, rename and remove. A call that names what does not exist, or a file in a folder that does not, fails with
// is_missing().

enum class FileKind : std::uint8_t { regular, folder, other };

struct FileStatus {
  FileKind kind{};
  std::uint64_t size = 0;     // bytes
  std::int64_t modified = 0;  // mtime in nanoseconds since 1970
  std::int64_t changed = 0;   // ctime as the host defines it
};

// Returns nullopt if nothing has that name.
std::expected<std::optional<FileStatus>, FileError> stat_file(int folder, const std::string& path);

// Creates a file of these bytes. `sync`: they are durable when the call returns. is_occupied() if the name exists.
std::expected<void, FileError> create_file(int folder, const std::string& path, std::string_view bytes, bool sync);
// The same, of `size` zeros, which need no space.
std::expected<void, FileError> create_empty_file(int folder, const std::string& path, std::uint64_t size);
// is_occupied() if the name exists.
std::expected<void, FileError> make_folder(int folder, const std::string& path);

// Renames a file or folder, atomically: others find one of the two names. A file replaces a file, and a folder an empty
// folder; is_occupied() if that has content.
std::expected<void, FileError> rename_file(int folder, const std::string& from, const std::string& to);

// Removes a file; fails for a folder.
std::expected<void, FileError> remove_file(int folder, const std::string& path);
// Removes an empty folder.
std::expected<void, FileError> remove_folder(int folder, const std::string& path);

// Calls `visit` with each name in a folder until it returns false. The order is unspecified; "." and ".." are omitted.
std::expected<void, FileError> list_folder(int folder, const std::string& path,
                                           const std::function<bool(std::string_view)>& visit);

// From this number of files on, one sync_all() is faster than to sync each.
#ifdef __linux__
inline constexpr std::size_t min_files_for_sync_all = 16;
#else
inline constexpr std::size_t min_files_for_sync_all = std::numeric_limits<std::size_t>::max();
#endif
// Makes all files durable, where there is such a call.
std::expected<void, FileError> sync_all(int folder);
// Makes the renames in `folder` durable, if the renamed files are. Returns false if the host syncs files only: then
// sync_file() of each does.
std::expected<bool, FileError> sync_folder(int folder);
// Does nothing if there is no such file, or it is not a regular one.
std::expected<void, FileError> sync_file(int folder, const std::string& path);

// Blocks the thread.
void sleep_for(std::chrono::milliseconds time);

}  // namespace portail
