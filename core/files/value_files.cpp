#include "core/files/value_files.hpp"

#include <algorithm>
#include <cerrno>

#include <unistd.h>

#include "core/files/open_file.hpp"

namespace portail {
namespace {

constexpr std::size_t block_size = 64 * 1024;

}  // namespace

std::expected<Value, FolderFault> ValueFiles::read(int folder, const FileName& name) {
  const auto opened = open_file(folder, name.c_str());
  if (!opened) {
    if (opened.error() == ENOENT) return std::nullopt;
    return system_fault(opened.error());
  }
  if (opened->size > largest_value) {
    return std::unexpected(FolderFault{Failure::corrupt, "a file is larger than any value"});
  }
  const auto wanted = static_cast<std::size_t>(opened->size);
  if (left_ < wanted) make_room(std::max(wanted, block_size));
  std::size_t size = 0;
  // Hosts of components return less than a read asks for.
  while (size < wanted) {
    const ssize_t got = ::read(opened->file.number(), free_ + size, wanted - size);
    if (got == 0) break;
    if (got < 0 && errno != EINTR) return system_fault(errno);
    if (got > 0) size += static_cast<std::size_t>(got);
  }
  const std::string_view value(free_, size);
  free_ += size;
  left_ -= size;
  return value;
}

void ValueFiles::make_room(std::size_t size) {
  blocks_.push_back(std::make_unique_for_overwrite<char[]>(size));
  free_ = blocks_.back().get();
  left_ = size;
}

}  // namespace portail
