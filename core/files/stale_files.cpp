#include "core/files/stale_files.hpp"

#include <string_view>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/files/file_names.hpp"
#include "core/files/listing.hpp"

namespace portail {
namespace {

constexpr long long stale_after_seconds = 3600;

std::vector<std::string> names_in(int parent, const std::string& path) {
  std::vector<std::string> names;
  // If the folder cannot be listed, nothing is removed.
  [[maybe_unused]] const auto listed = list_folder(parent, path.c_str(), [&names](std::string_view name) {
    names.emplace_back(name);
    return true;
  });
  return names;
}

}  // namespace

void remove_tree(int parent, const std::string& path) {
  if (unlinkat(parent, path.c_str(), 0) == 0) return;
  for (const std::string& name : names_in(parent, path)) {
    std::string inside = path;
    remove_tree(parent, inside.append("/").append(name));
  }
  unlinkat(parent, path.c_str(), AT_REMOVEDIR);
}

void remove_stale_files(int folder) {
  const std::string writers(writers_folder);
  struct stat now{};
  if (fstatat(folder, writers.c_str(), &now, 0) != 0) return;
  for (const std::string& name : names_in(folder, writers)) {
    if (name == lease_name || name == older_lease_name) continue;
    std::string path = writers;
    path.append("/").append(name);
    struct stat status{};
    if (fstatat(folder, path.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (now.st_mtim.tv_sec - status.st_mtim.tv_sec > stale_after_seconds) remove_tree(folder, path);
  }
}

}  // namespace portail
