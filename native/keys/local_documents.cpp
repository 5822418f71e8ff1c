#include "native/keys/local_documents.hpp"

#include "native/system/small_file.hpp"

namespace portail::keys {
namespace {

bool is_same(const timespec& a, const timespec& b) { return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec; }

bool is_same(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_size == b.st_size && is_same(a.st_mtim, b.st_mtim) &&
         is_same(a.st_ctim, b.st_ctim);
}

}  // namespace

std::expected<std::string, std::string> FileDocument::read(std::stop_token) {
  struct stat current{};
  if (stat(file_.c_str(), &current) != 0) current = {};
  // What is not a regular file, such as a FIFO, can be read once only, and opening it again may wait for its writer.
  if (last_stat_.st_ino != 0 && current.st_ino != 0 && !S_ISREG(current.st_mode)) return text_;
  // stat before read, so that a concurrent write is detected by the next call.
  if (current.st_ino == 0 || !is_same(current, last_stat_)) {
    text_ = read_small_file(file_, setting_);
    last_stat_ = current;
  }
  return text_;
}

}  // namespace portail::keys
