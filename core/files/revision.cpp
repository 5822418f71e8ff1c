#include "core/files/revision.hpp"

#include <cerrno>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>

#include "core/files/file_names.hpp"

namespace portail {
namespace {

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + std::int64_t{time.tv_nsec};
}

}  // namespace

std::expected<std::optional<Revision>, FolderFault> stat_revision(int folder) {
  struct stat status{};
  if (fstatat(folder, std::string(revision_name).c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno != ENOENT) return system_fault(errno);
    return std::nullopt;
  }
  if (!S_ISREG(status.st_mode)) return std::nullopt;
  return Revision{.size = static_cast<std::uint64_t>(status.st_size),
                  .modified = nanoseconds(status.st_mtim),
                  .changed = nanoseconds(status.st_ctim)};
}

}  // namespace portail
