// A key's file has the key as its name. Only "." and ".." cannot be names of files: they are "~." and "~..". No key
// holds a '~', so whatever else begins with one is the store's own. Pure functions; any thread.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "core/storage/key_value_store.hpp"

namespace portail {

// Holds the files of writers, and the lease among them (folder_writer.hpp).
inline constexpr std::string_view writers_folder = "~writers";
inline constexpr std::string_view lease_name = "lease";
// Keeps a second import of the native program out.
inline constexpr std::string_view import_lock_name = "~import.lock";

class FileName {
 public:
  // Nothing where the bytes are no key: the size is outside the limits, or a byte outside the alphabet of keys.
  static std::optional<FileName> of_key(std::string_view key);

  [[nodiscard]] const char* c_str() const { return bytes_.data(); }

 private:
  std::array<char, largest_key + 2> bytes_{};  // with a '~' before it or not, and a zero at its end
};

// The key whose file has this name, a part of `name`; nothing where it is no key's.
std::optional<std::string_view> key_of_file(std::string_view name);

}  // namespace portail
