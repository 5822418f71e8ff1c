#include "core/files/open_file.hpp"

#include <fcntl.h>

#ifdef __wasi__
#include <cerrno>

#include <wasi/api.h>
#endif

namespace portail {

#ifdef __wasi__
// wasi-libc's openat() asks the host twice about the folder before it opens anything in it.
int open_file(int folder, const char* name) {
  constexpr __wasi_rights_t rights = __WASI_RIGHTS_FD_READ | __WASI_RIGHTS_FD_SEEK;
  __wasi_fd_t file = 0;
  errno = __wasi_path_open(folder, 0, name, 0, rights, 0, 0, &file);
  return errno == 0 ? static_cast<int>(file) : -1;
}
#else
int open_file(int folder, const char* name) { return openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC); }
#endif

}  // namespace portail
