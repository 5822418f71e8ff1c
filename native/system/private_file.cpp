#include "native/system/private_file.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace portail {
namespace {

// Whether the file belongs to this user. Root creates files for the owner of their folder
// (native/system/folder_owner.hpp).
bool is_own(const struct stat& file, const std::string& path) {
  if (file.st_uid == geteuid()) return true;
  struct stat folder{};
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  return geteuid() == 0 && stat(parent.empty() ? "." : parent.c_str(), &folder) == 0 && file.st_uid == folder.st_uid;
}

}  // namespace

std::expected<Descriptor, std::string> open_private_file(const std::string& path, int access) {
  const auto failed = [] { return std::unexpected(std::string(std::strerror(errno))); };
  Descriptor file(
      open(path.c_str(), access | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600));
  if (!file && errno == ELOOP) return std::unexpected("it is a symbolic link");
  struct stat status{};
  if (!file || fstat(file.number(), &status) != 0) return failed();
  if (S_ISCHR(status.st_mode)) {
    if (fcntl(file.number(), F_SETFL, O_APPEND) != 0) return failed();
    return file;
  }
  if (!S_ISREG(status.st_mode)) return std::unexpected("it is not a regular file");
  if (!is_own(status, path)) {
    return std::unexpected("it belongs to the user " + std::to_string(status.st_uid));
  }
  if (status.st_nlink > 1) return std::unexpected("it has another name too, a hard link");
  if ((status.st_mode & 0777) != 0600 && fchmod(file.number(), 0600) != 0) return failed();
  return file;
}

}  // namespace portail
