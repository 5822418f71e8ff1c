#include "native/stores/opened_file.hpp"

#include <cerrno>
#include <cstring>

namespace portail {

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
