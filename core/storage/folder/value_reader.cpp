#include "core/storage/folder/value_reader.hpp"

#include <algorithm>
#include <cerrno>

#include <unistd.h>

#include "core/storage/folder/open_file.hpp"

namespace portail {
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
