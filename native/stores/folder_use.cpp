#include "native/stores/folder_use.hpp"

#include <cerrno>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

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

}  // namespace portail
