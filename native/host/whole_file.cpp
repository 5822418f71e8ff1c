#include "native/host/whole_file.hpp"

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

constexpr std::size_t written_at_once = std::size_t{64} * 1024;

// The file that a link leads to; a link that leads nowhere is itself the file.
fs::path behind_links(const std::string& path) {
  std::error_code error;
  const fs::path target = fs::canonical(path, error);
  return error ? fs::path(path) : target;
}

std::expected<fs::path, int> name_beside(const fs::path& path) {
  std::array<std::byte, 8> drawn{};
  if (getentropy(drawn.data(), drawn.size()) != 0) return std::unexpected(errno);
  return path.parent_path() / (".portail-" + lower_hex(drawn) + ".unfinished");
}

}  // namespace

std::expected<void, int> make_folders(const std::string& folder) {
  if (folder.empty() || mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST) return {};
  if (errno != ENOENT) return std::unexpected(errno);
  const std::string above = fs::path(folder).parent_path();
  if (above == folder) return std::unexpected(ENOENT);
  if (auto made = make_folders(above); !made) return made;
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

std::expected<WholeFile, int> WholeFile::begin(const std::string& path) {
  struct stat status{};
  if (lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) return std::unexpected(EISDIR);
  const auto unfinished = name_beside(path);
  if (!unfinished) return std::unexpected(unfinished.error());
  Descriptor file(open(unfinished->c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file) return std::unexpected(errno);
  return WholeFile(std::move(file), path, *unfinished);
}

std::expected<WholeFile, int> WholeFile::begin_or_open(const std::string& path) {
  struct stat status{};
  if (stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode)) return begin(behind_links(path));
  Descriptor file(open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC));
  if (!file) return std::unexpected(errno);
  return WholeFile(std::move(file), path, {});
}

WholeFile WholeFile::standard_output() {
  return {Descriptor(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)), "standard output", {}};
}

WholeFile::WholeFile(WholeFile&& other) noexcept
    : file_(std::move(other.file_)),
      path_(std::move(other.path_)),
      unfinished_(std::exchange(other.unfinished_, {})),
      gathered_(std::move(other.gathered_)) {}

WholeFile::~WholeFile() {
  if (!unfinished_.empty()) unlink(unfinished_.c_str());
}

std::expected<void, int> WholeFile::write(std::string_view bytes) {
  gathered_.append(bytes);
  if (gathered_.size() < written_at_once) return {};
  return write_gathered();
}

std::expected<void, int> WholeFile::write_gathered() {
  auto written = write_all(file_.number(), gathered_);
  gathered_.clear();
  return written;
}

std::expected<void, int> WholeFile::finish() {
  if (auto written = write_gathered(); !written) return written;
  if (!unfinished_.empty() && fsync(file_.number()) != 0) return std::unexpected(errno);
  gathered_ = {};
  // A file system over a network may tell only now that there is no room.
  if (close(file_.release()) != 0) return std::unexpected(errno);
  return {};
}

std::expected<void, int> WholeFile::publish() {
  if (unfinished_.empty()) return {};
  if (rename(unfinished_.c_str(), path_.c_str()) != 0) return std::unexpected(errno);
  unfinished_.clear();
  return {};
}

}  // namespace portail
