#include "native/stores/folder_use.hpp"

#include <cerrno>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace portail {

// Two locks that do not know of each other: flock's, which one descriptor has, and a shared one of the file
// description. A folder takes no exclusive one of these, since it cannot be opened for writing, but answers whether one
// would conflict.

int enter_folder(int folder) {
  while (flock(folder, LOCK_EX) != 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

void leave_folder(int folder) { flock(folder, LOCK_UN); }

int use_folder(int folder) {
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
