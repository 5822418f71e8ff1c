// Looks at files of the host's folder, which do not wait in the instance: wasi:filesystem 0.3. One thread.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "core/files/known_values.hpp"
#include "edge/async/events.hpp"
#include "edge/bindings/folder/folder.h"
#include "edge/host/owned.hpp"

namespace portail::edge {

using HostFolder = Owned<folder_types_own_descriptor_t, folder_types_descriptor_drop_own>;

// A folder that the host has opened for the component, and the way from there to the store's.
struct FolderOfHost {
  HostFolder folder;
  std::string path;  // empty, or with a slash at its end
};

// The host's folder that `path` lies in; nothing where there is none.
std::optional<FolderOfHost> find_folder_of_host(std::string_view path);

// What is to be known of a file without reading it.
enum class Seen : std::uint8_t {
  file,    // a file whose status the host tells
  absent,  // there is nothing of that name
  other,   // anything else: reading will tell
};

// A look at one file, from its beginning until the host has answered; destroyed before that, it is taken back. It stays
// where it is.
class FileLook {
 public:
  explicit FileLook(std::string name) : name_(std::move(name)) {}
  FileLook(const FileLook&) = delete;
  FileLook& operator=(const FileLook&) = delete;
  ~FileLook();

  void begin(folder_types_borrow_descriptor_t folder);
  // The two calls that it consists of.
  Subtask& status_call() { return status_call_; }
  Subtask& identity_call() { return identity_call_; }

  // Once both have returned. `status` is what is known of a Seen::file.
  [[nodiscard]] Seen seen(FileStatus& status) const;

 private:
  std::string name_;
  folder_types_result_descriptor_stat_error_code_t status_{};
  folder_types_result_metadata_hash_value_error_code_t identity_{};
  // After what the host writes to.
  Subtask status_call_;
  Subtask identity_call_;
};

}  // namespace portail::edge
