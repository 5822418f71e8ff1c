#include "core/storage/folder/folder_check.hpp"

#include <cstring>
#include <string_view>

#include "core/storage/folder/file_names.hpp"
#include "core/storage/folder/primitives.hpp"
#include "core/storage/key.hpp"

namespace portail {

std::expected<void, std::string> check_is_store(int folder, const std::string& path) {
  bool is_store = false;
  std::string other;
  const auto listed = list_folder(folder, ".", [&](std::string_view name) {
    is_store = name == writers_folder || name == format_key;
    const bool is_other = !is_store && !name.starts_with('~') && name != "lost+found";
    if (is_other && (other.empty() || name < other)) other = name;
    return !is_store;
  });
  if (!listed) return std::unexpected(path + " cannot be read: " + std::strerror(listed.error().code));
  if (is_store || other.empty()) return {};
  return std::unexpected(path + " holds other files and no store (" + other + "): name an empty or a new folder");
}

}  // namespace portail
