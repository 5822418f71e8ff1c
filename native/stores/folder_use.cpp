#include "native/stores/folder_use.hpp"

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
#include <unistd.h>

#include "core/storage/folder/descriptor.hpp"
#include "native/system/atomic_file.hpp"

namespace portail {

// Two independent locks: one of flock, which is exclusive, and a shared lock of the open file description. A folder
// cannot have an exclusive lock of the second kind, since it cannot be opened for writing, but F_OFD_GETLK reports
// whether one would conflict.

int lock_folder(int folder) {
  while (flock(folder, LOCK_EX) != 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

void unlock_folder(int folder) { flock(folder, LOCK_UN); }

int mark_folder_used(int folder) {
  struct flock lock{};
  lock.l_type = F_RDLCK;
  lock.l_whence = SEEK_SET;
  return fcntl(folder, F_OFD_SETLK, &lock) == 0 ? 0 : errno;
}

std::expected<bool, int> is_folder_used(int folder) {
  struct flock lock{};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  if (fcntl(folder, F_OFD_GETLK, &lock) != 0) return std::unexpected(errno);
  return lock.l_type != F_UNLCK;
}

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

std::optional<std::string> OpenedFile::fault() {
  // Read before stat: the file may grow, and another thread may store its new size.
  off_t size = size_.load(std::memory_order_acquire);
  struct stat found{};
  if (stat(path_.c_str(), &found) != 0) {
    if (errno != ENOENT && errno != ENOTDIR) return path_.string() + " cannot be reached: " + std::strerror(errno);
    return path_.string() + " was moved away: put it back, or stop this process";
  }
  if (found.st_dev != device_ || found.st_ino != inode_) {
    return path_.string() + " was replaced by another file: restart this process to use that one";
  }
  if (!S_ISREG(found.st_mode)) return std::nullopt;
  if (found.st_size < size) return path_.string() + " was cut off: stop this process, and restore the store";
  while (size < found.st_size && !size_.compare_exchange_weak(size, found.st_size, std::memory_order_acq_rel)) {
  }
  return std::nullopt;
}

}  // namespace portail
