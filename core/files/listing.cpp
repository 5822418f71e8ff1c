#include "core/files/listing.hpp"

#include <cerrno>
#include <memory>

#include <dirent.h>
#include <fcntl.h>

#include "core/files/descriptor.hpp"

namespace portail {
namespace {

struct CloseFolder {
  void operator()(DIR* folder) const { closedir(folder); }
};

}  // namespace

std::expected<void, FolderFault> list_folder(int parent, const char* path,
                                             const std::function<bool(std::string_view)>& visit) {
  Descriptor opened(openat(parent, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!opened) return system_fault(errno);
  const std::unique_ptr<DIR, CloseFolder> folder(fdopendir(opened.number()));
  if (!folder) return system_fault(errno);
  opened.release();
  for (;;) {
    errno = 0;
    const dirent* entry = readdir(folder.get());
    if (!entry) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != ".." && !visit(name)) return {};
  }
  if (errno != 0) return system_fault(errno);
  return {};
}

}  // namespace portail
