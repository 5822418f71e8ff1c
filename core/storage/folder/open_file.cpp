#include "core/storage/folder/open_file.hpp"

#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>

#ifdef __wasi__
#include <wasi/api.h>
#endif

namespace portail {
namespace {

std::unexpected<FileError> failed(int code) { return std::unexpected(FileError{code}); }

}  // namespace

#ifdef __wasi__
// wasi-libc's fstatat() and openat() would each call the host two more times, for the folder.
std::expected<OpenFile, FileError> open_file(int folder, const char* name) {
  __wasi_filestat_t status{};
  if (const auto code = __wasi_path_filestat_get(folder, 0, name, &status); code != 0) return failed(code);
  switch (status.filetype) {
    case __WASI_FILETYPE_REGULAR_FILE:
      break;
    case __WASI_FILETYPE_DIRECTORY:
      return failed(EISDIR);
    case __WASI_FILETYPE_SYMBOLIC_LINK:
      return failed(ELOOP);
    default:
      return failed(ENXIO);
  }
  constexpr __wasi_rights_t rights = __WASI_RIGHTS_FD_READ | __WASI_RIGHTS_FD_SEEK;
  __wasi_fd_t file = 0;
  if (const auto code = __wasi_path_open(folder, 0, name, 0, rights, 0, 0, &file); code != 0) {
    return failed(code);
  }
  return OpenFile{.file = Descriptor(static_cast<int>(file)), .size = status.size, .is_replaceable = true};
}
#else
std::expected<OpenFile, FileError> open_file(int folder, const char* name) {
  Descriptor file(openat(folder, name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC));
  struct stat status{};
  if (!file || fstat(file.number(), &status) != 0) return failed(errno);
  if (!S_ISREG(status.st_mode)) return failed(S_ISDIR(status.st_mode) ? EISDIR : ENXIO);
  return OpenFile{.file = std::move(file), .size = static_cast<std::uint64_t>(status.st_size)};
}
#endif

}  // namespace portail
