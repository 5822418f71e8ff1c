// Asynchronous stat of files in a preopened folder, by wasi:filesystem 0.3. One thread.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "core/files/value_cache.hpp"
#include "edge/async/events.hpp"
#include "edge/bindings/folder/folder.h"
#include "edge/host/owned.hpp"

namespace portail::edge {

using FolderDescriptor = Owned<folder_types_own_descriptor_t, folder_types_descriptor_drop_own>;

// A folder that the host has opened for the component, and the path of the store's folder in it.
struct PreopenedFolder {
  FolderDescriptor folder;
  std::string path;  // empty, or ends with a slash
};

// Returns the preopened folder that contains `path`, or nullopt.
std::optional<PreopenedFolder> find_preopened_folder(std::string_view path);

// The result of a stat.
enum class StatResult : std::uint8_t {
  file,    // a regular file with a complete status
  absent,  // the name does not exist
  other,   // anything else: a read returns the cause
};

// One stat of a file. Destroying it before its calls have returned cancels them. Not movable.
class FileStat {
 public:
  explicit FileStat(std::string name) : name_(std::move(name)) {}
  FileStat(const FileStat&) = delete;
  FileStat& operator=(const FileStat&) = delete;
  ~FileStat();

  void start(folder_types_borrow_descriptor_t folder);
  // The two calls of a stat.
  Subtask& status_call() { return status_call_; }
  Subtask& identity_call() { return identity_call_; }

  // Called after both calls have returned. `status` is set if the result is StatResult::file.
  [[nodiscard]] StatResult result(FileMetadata& status) const;

 private:
  std::string name_;
  folder_types_result_descriptor_stat_error_code_t status_{};
  folder_types_result_metadata_hash_value_error_code_t identity_{};
  // Declared after the results, which the host writes to until the subtasks are closed.
  Subtask status_call_;
  Subtask identity_call_;
};

}  // namespace portail::edge
