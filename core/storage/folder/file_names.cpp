#include "core/storage/folder/file_names.hpp"

#include <algorithm>
#include <string_view>

#include "core/storage/key_value_store.hpp"

namespace portail {
namespace {

bool needs_escape(std::string_view key) { return key == "." || key == ".."; }

}  // namespace

std::optional<FileName> FileName::of_key(std::string_view key) {
  if (!is_key(key)) return std::nullopt;
  FileName name;
  char* out = name.bytes_.data();
  if (needs_escape(key)) *out++ = '~';
  std::ranges::copy(key, out);
  return name;
}

std::optional<std::string_view> key_of_file(std::string_view name) {
  if (name.starts_with('~') && needs_escape(name.substr(1))) return name.substr(1);
  if (!is_key(name) || needs_escape(name)) return std::nullopt;
  return name;
}

}  // namespace portail
