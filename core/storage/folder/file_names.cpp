#include "core/storage/folder/file_names.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/storage/folder/primitives.hpp"
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

namespace {

constexpr std::int64_t stale_after_seconds = 3600;

std::int64_t seconds(std::int64_t nanoseconds) { return nanoseconds / 1'000'000'000; }

std::vector<std::string> names_in(int parent, const std::string& path) {
  std::vector<std::string> names;
  // If the folder cannot be listed, nothing is removed.
  [[maybe_unused]] const auto listed = list_folder(parent, path, [&names](std::string_view name) {
    names.emplace_back(name);
    return true;
  });
  return names;
}

}  // namespace

void remove_tree(int parent, const std::string& path) {
  if (remove_file(parent, path)) return;
  for (const std::string& name : names_in(parent, path)) {
    std::string inside = path;
    remove_tree(parent, inside.append("/").append(name));
  }
  [[maybe_unused]] const auto removed = remove_folder(parent, path);  // a writer may have come in between
}

void remove_stale_files(int folder) {
  const std::string writers(writers_folder);
  const auto now = stat_file(folder, writers);
  if (!now || !*now || (*now)->kind != FileKind::folder) return;
  for (const std::string& name : names_in(folder, writers)) {
    if (name == lease_name || name == older_lease_name) continue;
    std::string path = writers;
    path.append("/").append(name);
    const auto found = stat_file(folder, path);
    if (!found || !*found) continue;
    if (seconds((*now)->modified) - seconds((*found)->modified) > stale_after_seconds) remove_tree(folder, path);
  }
}

}  // namespace portail
