#include "core/files/value_files.hpp"

#include <cerrno>
#include <cstring>

#include <unistd.h>

#include "core/files/descriptor.hpp"
#include "core/files/open_file.hpp"

namespace portail {
namespace {

constexpr std::size_t block_size = 64 * 1024;
// With less than this left for a value, a new block is begun.
constexpr std::size_t usual_room = 16 * 1024;
// A file of less ends where a read gives less than was asked for. Hosts cut larger reads short, each where it pleases.
constexpr std::size_t read_whole = 4096;

}  // namespace

std::expected<Value, FolderFault> ValueFiles::read(int folder, const FileName& name) {
  const Descriptor file(open_file(folder, name.c_str()));
  if (!file) {
    if (errno == ENOENT) return std::nullopt;
    return system_fault(errno);
  }
  if (left_ < usual_room) make_room(block_size);
  std::size_t size = 0;
  for (;;) {
    const ssize_t got = ::read(file.number(), free_ + size, left_ - size);
    if (got < 0) {
      if (errno == EINTR) continue;
      // What wasmtime says of a folder.
      return system_fault(errno == EBADF ? EISDIR : errno);
    }
    const auto count = static_cast<std::size_t>(got);
    size += count;
    if (size > largest_value) {
      return std::unexpected(FolderFault{Failure::corrupt, "a file is larger than any value"});
    }
    if (count == 0 || (size < left_ && size < read_whole)) break;
    if (size == left_) {
      const char* begun = free_;
      make_room(largest_value + 1);
      std::memcpy(free_, begun, size);
    }
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
