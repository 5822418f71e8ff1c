#include "native/stores/folder_import_lock.hpp"

#include <cerrno>
#include <cstring>
#include <expected>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "core/storage/folder/descriptor.hpp"
#include "native/system/folder_owner.hpp"

namespace portail {
namespace {

struct LockedFile {
  Descriptor file;
  std::filesystem::path path;
};

}  // namespace

std::expected<HeldImportLock, std::string> acquire_folder_import_lock(const std::filesystem::path& folder,
                                                                      std::string_view name) {
  const std::filesystem::path path = folder / name;
  const FolderOwner owner(folder);
  constexpr int how = O_RDWR | O_CREAT | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC;
  Descriptor file(open(path.c_str(), how, 0600));
  struct stat status{};
  const bool is_special_file = file ? fstat(file.number(), &status) == 0 && !S_ISREG(status.st_mode)
                                    : errno == ELOOP || errno == EISDIR || errno == ENXIO;
  if (is_special_file) return std::unexpected(path.string() + " is not a regular file: move it away");
  if (!file) return std::unexpected(path.string() + " cannot be opened: " + std::strerror(errno));
  if (flock(file.number(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) {
      return std::unexpected("another import is running on " + folder.string() + ": wait until it ends");
    }
    return std::unexpected(path.string() + " cannot be locked: " + std::strerror(errno));
  }
  return std::make_shared<LockedFile>(std::move(file), path);
}

bool holds_folder_import_lock(const HeldImportLock& lock) {
  const auto& locked = *static_cast<const LockedFile*>(lock.get());
  struct stat held{};
  struct stat current{};
  return fstat(locked.file.number(), &held) == 0 && stat(locked.path.c_str(), &current) == 0 &&
         held.st_dev == current.st_dev && held.st_ino == current.st_ino;
}

}  // namespace portail
