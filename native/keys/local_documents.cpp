#include "native/keys/local_documents.hpp"

#include "native/host/small_file.hpp"

namespace portail {
namespace {

bool same(const timespec& a, const timespec& b) { return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec; }

bool same(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_size == b.st_size && same(a.st_mtim, b.st_mtim) &&
         same(a.st_ctim, b.st_ctim);
}

}  // namespace

std::expected<std::string, std::string> FileDocument::read(std::stop_token) {
  struct stat now{};
  if (stat(file_.c_str(), &now) != 0) now = {};
  // What is no regular file, such as a FIFO, can be read once only, and opening it again may wait for its writer.
  if (state_.st_ino != 0 && now.st_ino != 0 && !S_ISREG(now.st_mode)) return text_;
  // Looked at before it is read: what is written in between shows the next time.
  if (now.st_ino == 0 || !same(now, state_)) {
    text_ = read_small_file(file_, setting_);
    state_ = now;
  }
  return text_;
}

}  // namespace portail
