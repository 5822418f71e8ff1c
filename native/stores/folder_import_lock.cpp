#include "native/stores/folder_import_lock.hpp"

#include <cerrno>
#include <cstring>
#include <expected>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>

#include "core/files/descriptor.hpp"

namespace portail {

std::expected<HeldImportLock, std::string> lock_folder_for_import(const std::filesystem::path& folder,
                                                                  std::string_view name) {
  const std::filesystem::path path = folder / name;
  Descriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!file) return std::unexpected(path.string() + " cannot be opened: " + std::strerror(errno));
  if (flock(file.number(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) {
      return std::unexpected("another import is running on " + folder.string() + ": wait until it ends");
    }
    return std::unexpected(path.string() + " cannot be locked: " + std::strerror(errno));
  }
  return std::make_shared<Descriptor>(std::move(file));
}

}  // namespace portail
