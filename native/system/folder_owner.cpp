#include "native/system/folder_owner.hpp"

#include <sys/fsuid.h>
#include <sys/stat.h>
#include <unistd.h>

namespace portail {
namespace {

namespace fs = std::filesystem;

// Not valid as an id: setfsuid() then only returns the current one.
constexpr auto no_id = static_cast<uid_t>(-1);

// The status of the path, or of the nearest parent that exists.
struct stat nearest_status(const fs::path& path) {
  struct stat status{};
  for (fs::path at = path; stat(at.empty() ? "." : at.c_str(), &status) != 0; at = at.parent_path()) {
    if (at.empty() || at == at.root_path()) return {};
  }
  return status;
}

}  // namespace

FolderOwner::FolderOwner(const fs::path& folder) : is_root_(geteuid() == 0) {
  if (!is_root_) return;
  user_before_ = static_cast<uid_t>(setfsuid(no_id));
  group_before_ = static_cast<gid_t>(setfsgid(no_id));
  setfsuid(0);
  const struct stat status = nearest_status(folder);
  // Root's own folders keep the group that root has.
  setfsgid(status.st_uid == 0 ? getegid() : status.st_gid);
  setfsuid(status.st_uid);
}

FolderOwner::~FolderOwner() {
  if (!is_root_) return;
  setfsuid(user_before_);
  setfsgid(group_before_);
}

std::expected<void, std::string> check_owner(const fs::path& folder, const char* file) {
  struct stat of_folder{};
  struct stat of_file{};
  if (geteuid() != 0 || stat(folder.c_str(), &of_folder) != 0 || lstat((folder / file).c_str(), &of_file) != 0 ||
      of_folder.st_uid == of_file.st_uid)
    return {};
  return std::unexpected((folder / file).string() + " belongs to the user " + std::to_string(of_file.st_uid) +
                         ", its folder to " + std::to_string(of_folder.st_uid) + ": " + owner_hint(folder));
}

std::string owner_hint(const fs::path& folder) {
  return "chown -R --reference=" + folder.string() + ' ' + folder.string();
}

}  // namespace portail
