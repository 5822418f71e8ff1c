// The names of files. The file of a key has the key as its name, except that the keys "." and ".." have the names "~."
// and "~..". Keys contain no '~', so all other names with one are internal files of the store. Pure functions; any
// thread.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "core/storage/key_value_store.hpp"

namespace portail {

// The folder of the writers' files and of the lease (folder_writer.hpp).
inline constexpr std::string_view writers_folder = "~writers";
inline constexpr std::string_view lease_name = "holder";
// The lease of programs that do not know revisions. A file of this name refuses their writes.
inline constexpr std::string_view older_lease_name = "lease";
inline constexpr std::string_view revision_name = "~revision";  // revision.hpp
// The lock of imports by the native program.
inline constexpr std::string_view import_lock_name = "~import.lock";

class FileName {
 public:
  // Returns nullopt if `key` is not a valid key: its size, or one of its bytes.
  static std::optional<FileName> of_key(std::string_view key);

  [[nodiscard]] const char* c_str() const { return bytes_.data(); }

 private:
  std::array<char, max_key_size + 2> bytes_{};  // an optional '~', the key, and a zero
};

// Returns the key whose file has this name, a view into `name`; nullopt if it is not the file of a key.
std::optional<std::string_view> key_of_file(std::string_view name);

}  // namespace portail
