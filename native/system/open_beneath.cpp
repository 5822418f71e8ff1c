#include "native/system/open_beneath.hpp"

#include <cerrno>
#include <climits>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace portail {
namespace {

// A pipe without a writer does not block, and a terminal does not become the controlling terminal.
constexpr int read_flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
constexpr int walk_flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
// The limit of Linux (path_resolution(7)).
constexpr int max_links = 40;

// The segments of a path in reverse order.
std::vector<std::string> reversed_segments(std::string_view path) {
  std::vector<std::string> segments;
  for (std::size_t end = path.size(); end > 0;) {
    const std::size_t begin = path.rfind('/', end - 1) + 1;  // 0 if there is no '/'
    if (begin < end) segments.emplace_back(path.substr(begin, end - begin));
    end = begin == 0 ? 0 : begin - 1;
  }
  return segments;
}

// The target of the link; EINVAL if it is not a link.
std::expected<std::string, int> read_link(int folder, const std::string& name) {
  std::string target(PATH_MAX, '\0');
  const ssize_t size = readlinkat(folder, name.c_str(), target.data(), target.size());
  if (size < 0) return std::unexpected(errno);
  target.resize(static_cast<std::size_t>(size));
  return target;
}

// Keeps each directory on the way open and never passes a name of several segments, so that a rename by another process
// cannot redirect the walk. ".." is the directory that was entered before.
class Walk {
 public:
  Walk(int folder, std::string_view path) : root_(folder), pending_(reversed_segments(path)) {}

  std::expected<Descriptor, int> run() {
    while (!pending_.empty()) {
      const std::string name = std::move(pending_.back());
      pending_.pop_back();
      if (name == ".") continue;
      if (name == "..") {
        if (directories_.empty()) return std::unexpected(EXDEV);
        directories_.pop_back();
        continue;
      }
      Descriptor opened(openat(current(), name.c_str(), pending_.empty() ? read_flags | O_NOFOLLOW : walk_flags));
      if (opened && pending_.empty()) return opened;
      if (opened) {
        directories_.push_back(std::move(opened));
      } else if (const int code = errno; code != ELOOP && code != ENOTDIR) {
        return std::unexpected(code);
      } else if (auto followed = follow(name); !followed) {
        return std::unexpected(followed.error() == EINVAL ? code : followed.error());
      }
    }
    // A link ended in "." or "..".
    return std::unexpected(EISDIR);
  }

 private:
  [[nodiscard]] int current() const { return directories_.empty() ? root_ : directories_.back().number(); }

  std::expected<void, int> follow(const std::string& name) {
    const auto target = read_link(current(), name);
    if (!target) return std::unexpected(target.error());
    if (target->starts_with('/')) return std::unexpected(EXDEV);
    if (++links_ > max_links) return std::unexpected(ELOOP);
    for (std::string& segment : reversed_segments(*target)) pending_.push_back(std::move(segment));
    return {};
  }

  int root_;
  std::vector<Descriptor> directories_;
  std::vector<std::string> pending_;
  int links_ = 0;
};

}  // namespace

std::expected<Descriptor, int> open_beneath(int folder, std::string_view path) {
  const std::string name(path);
  open_how how{};
  how.flags = read_flags;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  Descriptor file(static_cast<int>(syscall(SYS_openat2, folder, name.c_str(), &how, sizeof how)));
  if (file) return file;
  // Not implemented, forbidden by a seccomp filter, or (EAGAIN) a concurrent rename.
  if (errno == ENOSYS || errno == EPERM || errno == EAGAIN) return walk_beneath(folder, path);
  return std::unexpected(errno);
}

std::expected<Descriptor, int> walk_beneath(int folder, std::string_view path) {
  if (path.starts_with('/')) return std::unexpected(EXDEV);
  return Walk(folder, path).run();
}

}  // namespace portail
