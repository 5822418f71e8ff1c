#include "native/system/small_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/text.hpp"

namespace portail {
namespace {

// Of the names that files of certificates, keys and tokens have.
constexpr std::array<std::string_view, 9> extensions{".pem", ".crt",  ".cer", ".key", ".json",
                                                     ".jwk", ".jwks", ".jwt", ".txt"};

bool is_file_name(std::string_view text) {
  const bool is_one_word = std::ranges::all_of(text, is_visible_ascii);
  return is_one_word && std::ranges::any_of(extensions, [text](std::string_view each) { return text.ends_with(each); });
}

}  // namespace

bool may_be_content(const std::string& file) {
  for (const char* beginning : {"/", "./", "../"}) {
    if (file.starts_with(beginning)) return false;
  }
  if (is_file_name(file)) return false;
  std::error_code ignored;
  return !std::filesystem::exists(file, ignored);
}

std::expected<std::string, std::string> read_small_file(const std::string& file, const std::string& setting,
                                                        std::size_t max_mebibytes) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored))
    return std::unexpected("cannot read " + file + ": it is a folder; give " + setting + " a file");
  std::ifstream input(file, std::ios::binary);
  if (!input) {
    const int error = errno;
    const std::string name = may_be_content(file) ? "the file that " + setting + " names" : file;
    return std::unexpected("cannot read " + name + ": " + std::strerror(error) + "; give " + setting +
                           " a file that this user may read");
  }
  const std::size_t max_size = max_mebibytes << 20U;
  std::string text(max_size + 1, '\0');
  input.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(input.gcount()));
  if (text.size() > max_size)
    return std::unexpected(file + " is larger than " + std::to_string(max_mebibytes) + " MiB: it cannot be what " +
                           setting + " takes");
  return text;
}

namespace {

// Whether the file belongs to this user. Root creates files for the owner of their folder
// (native/system/atomic_file.hpp).
bool is_own(const struct stat& file, const std::string& path) {
  if (file.st_uid == geteuid()) return true;
  struct stat folder{};
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  return geteuid() == 0 && stat(parent.empty() ? "." : parent.c_str(), &folder) == 0 && file.st_uid == folder.st_uid;
}

}  // namespace

std::expected<Descriptor, std::string> open_private_file(const std::string& path, int access) {
  const auto failed = [] { return std::unexpected(std::string(std::strerror(errno))); };
  Descriptor file(
      open(path.c_str(), access | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600));
  if (!file && errno == ELOOP) return std::unexpected("it is a symbolic link");
  struct stat status{};
  if (!file || fstat(file.number(), &status) != 0) return failed();
  if (S_ISCHR(status.st_mode)) {
    if (fcntl(file.number(), F_SETFL, O_APPEND) != 0) return failed();
    return file;
  }
  if (!S_ISREG(status.st_mode)) return std::unexpected("it is not a regular file");
  if (!is_own(status, path)) {
    return std::unexpected("it belongs to the user " + std::to_string(status.st_uid));
  }
  if (status.st_nlink > 1) return std::unexpected("it has another name too, a hard link");
  if ((status.st_mode & 0777) != 0600 && fchmod(file.number(), 0600) != 0) return failed();
  return file;
}

}  // namespace portail
