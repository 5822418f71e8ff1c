#include "native/host/open_beneath.hpp"

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

// Neither a pipe without a writer keeps the caller waiting, nor does a terminal become this process's own.
constexpr int to_read = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
constexpr int to_walk = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
// As many as Linux follows (path_resolution(7)).
constexpr int most_links = 40;

// The segments of a path, the first one last: they are taken from the end.
std::vector<std::string> segments_backwards(std::string_view path) {
  std::vector<std::string> segments;
  for (std::size_t end = path.size(); end > 0;) {
    const std::size_t begin = path.rfind('/', end - 1) + 1;  // 0 where there is no '/'
    if (begin < end) segments.emplace_back(path.substr(begin, end - begin));
    end = begin == 0 ? 0 : begin - 1;
  }
  return segments;
}

// Where the link leads; EINVAL where it is none.
std::expected<std::string, int> read_link(int folder, const std::string& name) {
  std::string target(PATH_MAX, '\0');
  const ssize_t size = readlinkat(folder, name.c_str(), target.data(), target.size());
  if (size < 0) return std::unexpected(errno);
  target.resize(static_cast<std::size_t>(size));
  return target;
}

// Each folder is held open on the way, and no name has more than one segment or is followed: so another process cannot
// lead this elsewhere by renaming. ".." is the folder before, as it was entered.
class Walk {
 public:
  Walk(int folder, std::string_view path) : top_(folder), left_(segments_backwards(path)) {}

  std::expected<Descriptor, int> go() {
    while (!left_.empty()) {
      const std::string name = std::move(left_.back());
      left_.pop_back();
      if (name == ".") continue;
      if (name == "..") {
        if (entered_.empty()) return std::unexpected(EXDEV);
        entered_.pop_back();
        continue;
      }
      Descriptor opened(openat(here(), name.c_str(), left_.empty() ? to_read | O_NOFOLLOW : to_walk));
      if (opened && left_.empty()) return opened;
      if (opened) {
        entered_.push_back(std::move(opened));
      } else if (const int code = errno; code != ELOOP && code != ENOTDIR) {
        return std::unexpected(code);
      } else if (auto followed = follow(name); !followed) {
        return std::unexpected(followed.error() == EINVAL ? code : followed.error());
      }
    }
    // A link led to a folder by "." or "..".
    return std::unexpected(EISDIR);
  }

 private:
  [[nodiscard]] int here() const { return entered_.empty() ? top_ : entered_.back().number(); }

  std::expected<void, int> follow(const std::string& name) {
    const auto target = read_link(here(), name);
    if (!target) return std::unexpected(target.error());
    if (target->starts_with('/')) return std::unexpected(EXDEV);
    if (++links_ > most_links) return std::unexpected(ELOOP);
    for (std::string& segment : segments_backwards(*target)) left_.push_back(std::move(segment));
    return {};
  }

  int top_;
  std::vector<Descriptor> entered_;
  std::vector<std::string> left_;
  int links_ = 0;
};

}  // namespace

std::expected<Descriptor, int> open_beneath(int folder, std::string_view path) {
  const std::string name(path);
  open_how how{};
  how.flags = to_read;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  Descriptor file(static_cast<int>(syscall(SYS_openat2, folder, name.c_str(), &how, sizeof how)));
  if (file) return file;
  // Not there, forbidden by a filter of system calls, or (EAGAIN) not sure, because something was renamed meanwhile.
  if (errno == ENOSYS || errno == EPERM || errno == EAGAIN) return walk_beneath(folder, path);
  return std::unexpected(errno);
}

std::expected<Descriptor, int> walk_beneath(int folder, std::string_view path) {
  if (path.starts_with('/')) return std::unexpected(EXDEV);
  return Walk(folder, path).go();
}

}  // namespace portail
