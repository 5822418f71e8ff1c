#include "native/system/atomic_file.hpp"

#include <array>
#include <cerrno>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "core/base/hexadecimal.hpp"

namespace portail {
namespace {

namespace fs = std::filesystem;

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
