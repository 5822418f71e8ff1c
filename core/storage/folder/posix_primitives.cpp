// The primitives by POSIX, and for components by its emulation over WASI preview 1.
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <ctime>
#include <limits>
#include <memory>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/storage/folder/descriptor.hpp"
#include "core/storage/folder/primitives.hpp"

namespace portail {
namespace {

constexpr mode_t file_mode = 0600;
constexpr mode_t folder_mode = 0700;

struct CloseFolder {
  void operator()(DIR* folder) const { closedir(folder); }
};

std::unexpected<FileError> failed() { return std::unexpected(FileError{errno}); }

std::expected<void, FileError> done_if_zero(int status) {
  if (status != 0) return failed();
  return {};
}

Descriptor create(int folder, const std::string& path) {
  return Descriptor(openat(folder, path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, file_mode));
}

// A time outside the years 1678 to 2261 becomes the nearest one.
std::int64_t nanoseconds(const timespec& time) {
  constexpr std::int64_t second = 1'000'000'000;
  constexpr std::int64_t max_seconds = std::numeric_limits<std::int64_t>::max() / second - 1;
  return std::clamp<std::int64_t>(time.tv_sec, -max_seconds, max_seconds) * second + std::int64_t{time.tv_nsec};
}

}  // namespace

std::expected<std::optional<FileStatus>, FileError> stat_file(int folder, const std::string& path) {
  struct stat status{};
  if (fstatat(folder, path.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno != ENOENT) return failed();
    return std::nullopt;
  }
  return FileStatus{.kind = S_ISREG(status.st_mode)   ? FileKind::regular
                            : S_ISDIR(status.st_mode) ? FileKind::folder
                                                      : FileKind::other,
                    .size = static_cast<std::uint64_t>(status.st_size),
                    .modified = nanoseconds(status.st_mtim),
                    .changed = nanoseconds(status.st_ctim)};
}

std::expected<void, FileError> create_file(int folder, const std::string& path, std::string_view bytes, bool sync) {
  const Descriptor file = create(folder, path);
  if (!file) return failed();
  while (!bytes.empty()) {
    const ssize_t written = ::write(file.number(), bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return failed();
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  if (!sync) return {};
  return done_if_zero(fsync(file.number()));
}

std::expected<void, FileError> create_empty_file(int folder, const std::string& path, std::uint64_t size) {
  const Descriptor file = create(folder, path);
  if (!file) return failed();
  return done_if_zero(ftruncate(file.number(), static_cast<off_t>(size)));
}

std::expected<void, FileError> make_folder(int folder, const std::string& path) {
  return done_if_zero(mkdirat(folder, path.c_str(), folder_mode));
}

std::expected<void, FileError> rename_file(int folder, const std::string& from, const std::string& to) {
  return done_if_zero(renameat(folder, from.c_str(), folder, to.c_str()));
}

std::expected<void, FileError> remove_file(int folder, const std::string& path) {
  return done_if_zero(unlinkat(folder, path.c_str(), 0));
}

std::expected<void, FileError> remove_folder(int folder, const std::string& path) {
  return done_if_zero(unlinkat(folder, path.c_str(), AT_REMOVEDIR));
}

std::expected<void, FileError> list_folder(int folder, const std::string& path,
                                           const std::function<bool(std::string_view)>& visit) {
  Descriptor opened(openat(folder, path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!opened) return failed();
  const std::unique_ptr<DIR, CloseFolder> entries(fdopendir(opened.number()));
  if (!entries) return failed();
  opened.release();
  for (;;) {
    errno = 0;
    const dirent* entry = readdir(entries.get());
    if (!entry) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != ".." && !visit(name)) return {};
  }
  if (errno != 0) return failed();
  return {};
}

std::expected<void, FileError> sync_all([[maybe_unused]] int folder) {
#ifdef __linux__
  return done_if_zero(syncfs(folder));
#else
  return {};
#endif
}

std::expected<bool, FileError> sync_folder(int folder) {
  if (fsync(folder) == 0) return true;
  // WASI preview 1 syncs files only. The journals of ext4, XFS and Btrfs include the rename of a synced file.
  if (errno == EBADF) return false;
  return failed();
}

std::expected<void, FileError> sync_file(int folder, const std::string& path) {
  const auto found = stat_file(folder, path);
  if (!found) return std::unexpected(found.error());
  // Opening another file could block.
  if (!*found || (*found)->kind != FileKind::regular) return {};
  const Descriptor file(openat(folder, path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (file) return done_if_zero(fsync(file.number()));
  return errno == ENOENT ? std::expected<void, FileError>() : failed();
}

void sleep_for(std::chrono::milliseconds time) {
  const timespec duration{.tv_sec = static_cast<std::time_t>(time.count() / 1000),
                          .tv_nsec = static_cast<long>(time.count() % 1000) * 1'000'000};
  nanosleep(&duration, nullptr);
}

}  // namespace portail
