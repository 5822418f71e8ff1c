#include "native/system/atomic_file.hpp"

#include <array>
#include <cerrno>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <sys/fsuid.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/text.hpp"

namespace portail {
namespace {

namespace fs = std::filesystem;

// Not valid as an id: setfsuid() then only returns the current one.
constexpr auto no_id = static_cast<uid_t>(-1);

// The status of the path, or of the nearest parent that exists.
struct stat nearest_status(const fs::path& path) {
  struct stat status{};
  for (fs::path at = path; stat(at.empty() ? "." : at.c_str(), &status) != 0; at = at.parent_path()) {
    if (at.empty() || at == at.root_path()) return {};
  }
  return status;
}

}  // namespace

FolderOwner::FolderOwner(const fs::path& folder) : is_root_(geteuid() == 0) {
  if (!is_root_) return;
  user_before_ = static_cast<uid_t>(setfsuid(no_id));
  group_before_ = static_cast<gid_t>(setfsgid(no_id));
  setfsuid(0);
  const struct stat status = nearest_status(folder);
  // Root's own folders keep the group that root has.
  setfsgid(status.st_uid == 0 ? getegid() : status.st_gid);
  setfsuid(status.st_uid);
}

FolderOwner::~FolderOwner() {
  if (!is_root_) return;
  setfsuid(user_before_);
  setfsgid(group_before_);
}

std::expected<void, std::string> check_owner(const fs::path& folder, const char* file) {
  struct stat of_folder{};
  struct stat of_file{};
  if (geteuid() != 0 || stat(folder.c_str(), &of_folder) != 0 || lstat((folder / file).c_str(), &of_file) != 0 ||
      of_folder.st_uid == of_file.st_uid)
    return {};
  return std::unexpected((folder / file).string() + " belongs to the user " + std::to_string(of_file.st_uid) +
                         ", its folder to " + std::to_string(of_folder.st_uid) + ": " + owner_hint(folder));
}

std::string owner_hint(const fs::path& folder) {
  return "chown -R --reference=" + folder.string() + ' ' + folder.string();
}

namespace {

constexpr std::size_t buffer_size = std::size_t{64} * 1024;

// The target of a link; a dangling link itself.
fs::path resolve_links(const std::string& path) {
  std::error_code error;
  const fs::path target = fs::canonical(path, error);
  return error ? fs::path(path) : target;
}

std::expected<fs::path, int> temporary_path(const fs::path& path) {
  std::array<std::byte, 8> random_bytes{};
  if (getentropy(random_bytes.data(), random_bytes.size()) != 0) return std::unexpected(errno);
  return path.parent_path() / (".portail-" + lower_hex(random_bytes) + ".unfinished");
}

}  // namespace

std::expected<void, int> create_private_directories(const std::string& folder) {
  if (folder.empty() || mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST) return {};
  if (errno != ENOENT) return std::unexpected(errno);
  const std::string parent = fs::path(folder).parent_path();
  if (parent == folder) return std::unexpected(ENOENT);
  if (auto created = create_private_directories(parent); !created) return created;
  if (mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST) return {};
  return std::unexpected(errno);
}

std::expected<void, int> write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return std::unexpected(errno);
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

std::expected<AtomicFile, int> AtomicFile::create(const std::string& path, mode_t mode) {
  struct stat status{};
  if (lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) return std::unexpected(EISDIR);
  const auto temporary = temporary_path(path);
  if (!temporary) return std::unexpected(temporary.error());
  Descriptor file(open(temporary->c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file) return std::unexpected(errno);
  AtomicFile created(std::move(file), path, *temporary);
  if (mode != 0600 && fchmod(created.file_.number(), mode) != 0) return std::unexpected(errno);
  return created;
}

std::expected<AtomicFile, int> AtomicFile::create_or_open(const std::string& path) {
  struct stat status{};
  if (stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode)) return create(resolve_links(path));
  Descriptor file(open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC));
  if (!file) return std::unexpected(errno);
  return AtomicFile(std::move(file), path, {});
}

AtomicFile AtomicFile::standard_output() {
  return {Descriptor(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)), "standard output", {}};
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : file_(std::move(other.file_)),
      path_(std::move(other.path_)),
      temporary_path_(std::exchange(other.temporary_path_, {})),
      buffer_(std::move(other.buffer_)),
      is_flushed_(other.is_flushed_) {}

AtomicFile::~AtomicFile() {
  if (!temporary_path_.empty()) unlink(temporary_path_.c_str());
}

std::expected<void, int> AtomicFile::write(std::string_view bytes) {
  buffer_.append(bytes);
  if (buffer_.size() < buffer_size) return {};
  return flush_buffer();
}

std::expected<void, int> AtomicFile::flush_buffer() {
  is_flushed_ = true;
  auto written = write_all(file_.number(), buffer_);
  buffer_.clear();
  return written;
}

std::expected<bool, int> AtomicFile::restart() {
  if (temporary_path_.empty() && is_flushed_) return false;
  buffer_.clear();
  if (!temporary_path_.empty() && (ftruncate(file_.number(), 0) != 0 || lseek(file_.number(), 0, SEEK_SET) != 0)) {
    return std::unexpected(errno);
  }
  return true;
}

std::expected<void, int> AtomicFile::finish() {
  if (auto written = flush_buffer(); !written) return written;
  if (!temporary_path_.empty() && fsync(file_.number()) != 0) return std::unexpected(errno);
  buffer_ = {};
  // A network file system may report a full disk only now.
  if (close(file_.release()) != 0) return std::unexpected(errno);
  return {};
}

std::expected<void, int> AtomicFile::replace(const std::string& path, std::string_view content, mode_t mode) {
  auto file = create(path, mode);
  if (!file) return std::unexpected(file.error());
  if (auto written = file->write(content); !written) return written;
  if (auto finished = file->finish(); !finished) return finished;
  return file->publish();
}

std::expected<void, int> AtomicFile::publish() {
  if (temporary_path_.empty()) return {};
  if (rename(temporary_path_.c_str(), path_.c_str()) != 0) return std::unexpected(errno);
  temporary_path_.clear();
  return {};
}

}  // namespace portail
