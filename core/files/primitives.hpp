// The calls of a file system of which the folder store is made. `folder` is the number of an open folder, a descriptor;
// paths are relative to it, with '/'. Files and folders that are created belong to the user alone. No call follows a
// symbolic link in the last part of a path. Any thread, any number of processes.
//
// The folder store is correct if rename_file() is atomic and fails as described, also while others rename and remove.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/files/folder_fault.hpp"

namespace portail {

enum class FileKind : std::uint8_t { regular, folder, other };

struct FileStatus {
  FileKind kind{};
  std::uint64_t size = 0;     // bytes
  std::int64_t modified = 0;  // mtime in nanoseconds since 1970
  std::int64_t changed = 0;   // ctime as the host defines it
};

// Returns nullopt if nothing has that name.
std::expected<std::optional<FileStatus>, FileError> stat_file(int folder, const std::string& path);

// Creates a file that did not exist, of these bytes. `sync`: they are durable when the call returns.
std::expected<void, FileError> create_file(int folder, const std::string& path, std::string_view bytes, bool sync);
// The same, of `size` zeros, which need no space.
std::expected<void, FileError> create_empty_file(int folder, const std::string& path, std::uint64_t size);
std::expected<void, FileError> make_folder(int folder, const std::string& path);

// Renames a file or folder, atomically: others find one of the two names. A file replaces a file, and a folder an empty
// folder; is_occupied() if that has content.
std::expected<void, FileError> rename_file(int folder, const std::string& from, const std::string& to);

// Removes a file, or an empty folder.
std::expected<void, FileError> remove_file(int folder, const std::string& path);
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
// Makes all files durable.
std::expected<void, FileError> sync_all(int folder);
// Makes the names in `folder` durable, of which `paths` were renamed to it, or from it to a folder of it, after a sync.
std::expected<void, FileError> sync_names(int folder, std::span<const std::string> paths);

// Blocks the thread.
void sleep_for(std::chrono::milliseconds time);

}  // namespace portail
