#include "core/storage/folder/value_reader.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

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

namespace {

constexpr std::size_t block_size = 64 * 1024;

}  // namespace

std::expected<Value, FolderFault> ValueReader::read(int folder, const FileName& name) {
  const auto opened = open_file(folder, name.c_str());
  if (!opened) {
    if (opened.error().is_missing()) return std::nullopt;
    return system_fault(opened.error());
  }
  if (opened->size > max_value_size) {
    return std::unexpected(FolderFault{Failure::corrupt, "a file is larger than any value"});
  }
  const auto file_size = static_cast<std::size_t>(opened->size);
  // One byte more shows that a larger file was opened than the stat found.
  const std::size_t max_size = file_size + (opened->is_replaceable ? 1 : 0);
  if (remaining_ < max_size) add_block(std::max(max_size, block_size));
  std::size_t size = 0;
  // WASI hosts may read fewer bytes than requested.
  while (size < max_size) {
    const ssize_t bytes_read = ::read(opened->file.number(), free_ + size, max_size - size);
    if (bytes_read < 0 && errno == EINTR) continue;
    if (bytes_read < 0) return system_fault({errno});
    size += static_cast<std::size_t>(bytes_read);
    // Another read would only find the end, by another call of the host.
    if (bytes_read == 0 || size == file_size) break;
  }
  if (size > file_size) return read(folder, name);
  const std::string_view value(free_, size);
  free_ += size;
  remaining_ -= size;
  return value;
}

}  // namespace portail
