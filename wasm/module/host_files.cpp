// The files of the folder store, by the module's imports of files.
#include <algorithm>
#include <cerrno>
#include <memory>

#include "core/storage/folder/primitives.hpp"
#include "core/storage/folder/value_reader.hpp"
#include "wasm/abi/portail.h"
#include "wasm/module/encoding.hpp"
#include "wasm/module/heap.hpp"

namespace portail {
namespace {

using wasm::bytes_of;
using wasm::size_of;

constexpr std::size_t min_block_size = 16 * 1024;
constexpr std::size_t min_list_size = 1024;

std::uint32_t number_of(int folder) { return static_cast<std::uint32_t>(folder); }

FileError error_of(std::int32_t result) {
  switch (result) {
    case PORTAIL_FILE_MISSING:
      return {ENOENT};
    case PORTAIL_FILE_OCCUPIED:
      return {EEXIST};
    case PORTAIL_FILE_OTHER:
      return {ENXIO};
    default:
      return {EIO};  // the host logs the reason
  }
}

std::expected<void, FileError> done(std::int32_t result) {
  if (result < 0) return std::unexpected(error_of(result));
  return {};
}

}  // namespace

std::expected<std::optional<FileStatus>, FileError> stat_file(int folder, const std::string& path) {
  portail_file_info found{};
  const std::int32_t result = portail_file_status(number_of(folder), bytes_of(path), size_of(path), &found);
  if (result == PORTAIL_FILE_MISSING) return std::nullopt;
  if (result < 0) return std::unexpected(error_of(result));
  return FileStatus{.kind = found.kind == PORTAIL_REGULAR_FILE ? FileKind::regular
                            : found.kind == PORTAIL_FOLDER     ? FileKind::folder
                                                               : FileKind::other,
                    .size = found.size,
                    .modified = found.modified,
                    .changed = found.changed};
}

std::expected<void, FileError> create_file(int folder, const std::string& path, std::string_view bytes, bool sync) {
  return done(portail_file_create(number_of(folder), bytes_of(path), size_of(path), bytes_of(bytes), size_of(bytes),
                                  bytes.size(), sync ? 1 : 0));
}

std::expected<void, FileError> create_empty_file(int folder, const std::string& path, std::uint64_t size) {
  return done(portail_file_create(number_of(folder), bytes_of(path), size_of(path), nullptr, 0, size, 0));
}

std::expected<void, FileError> make_folder(int folder, const std::string& path) {
  return done(portail_file_make_folder(number_of(folder), bytes_of(path), size_of(path)));
}

std::expected<void, FileError> rename_file(int folder, const std::string& from, const std::string& to) {
  return done(portail_file_rename(number_of(folder), bytes_of(from), size_of(from), bytes_of(to), size_of(to)));
}

std::expected<void, FileError> remove_file(int folder, const std::string& path) {
  return done(portail_file_remove(number_of(folder), bytes_of(path), size_of(path), 0));
}

std::expected<void, FileError> remove_folder(int folder, const std::string& path) {
  return done(portail_file_remove(number_of(folder), bytes_of(path), size_of(path), 1));
}

std::expected<void, FileError> list_folder(int folder, const std::string& path,
                                           const std::function<bool(std::string_view)>& visit) {
  const std::string_view listed = path == "." ? std::string_view() : path;
  std::string names;
  for (std::size_t size = min_list_size; names.size() < size;) {
    names.resize(size);
    const std::int32_t found =
        portail_file_list(number_of(folder), bytes_of(listed), size_of(listed),
                          reinterpret_cast<std::uint8_t*>(names.data()), static_cast<std::uint32_t>(names.size()));
    if (found < 0) return std::unexpected(error_of(found));
    size = static_cast<std::size_t>(found);
    if (wasm::heap_in_use() + size > wasm::max_heap_for_values) return std::unexpected(FileError{ENOMEM});
    if (size <= names.size()) names.resize(size);
  }
  for (std::string_view rest = names; !rest.empty();) {
    const std::string_view name = rest.substr(0, rest.find('\0'));
    if (!visit(name)) return {};
    rest.remove_prefix(std::min(name.size() + 1, rest.size()));
  }
  return {};
}

std::expected<void, FileError> sync_all(int) { return {}; }

std::expected<bool, FileError> sync_folder(int folder) {
  const auto synced = done(portail_file_sync(number_of(folder), nullptr, 0));
  if (!synced) return std::unexpected(synced.error());
  return true;
}

std::expected<void, FileError> sync_file(int, const std::string&) { return {}; }

void sleep_for(std::chrono::milliseconds time) { portail_wait(static_cast<std::uint32_t>(time.count())); }

std::expected<Value, FolderFault> ValueReader::read(int folder, const FileName& file) {
  const std::string_view name = file.c_str();
  if (remaining_ == 0) add_block(min_block_size);
  for (;;) {
    const std::int32_t result =
        portail_file_read(number_of(folder), bytes_of(name), size_of(name), reinterpret_cast<std::uint8_t*>(free_),
                          static_cast<std::uint32_t>(remaining_));
    if (result == PORTAIL_FILE_MISSING) return std::nullopt;
    if (result < 0) return system_fault(error_of(result));
    const auto size = static_cast<std::size_t>(result);
    if (size <= remaining_) {
      const std::string_view value(free_, size);
      free_ += size;
      remaining_ -= size;
      return value;
    }
    if (size > max_value_size) {
      return std::unexpected(FolderFault{Failure::corrupt, "a file is larger than any value"});
    }
    if (wasm::heap_in_use() > wasm::max_heap_for_values) {
      return std::unexpected(FolderFault{Failure::unavailable, "the module's memory is full"});
    }
    add_block(std::max(size, min_block_size));
  }
}

}  // namespace portail
