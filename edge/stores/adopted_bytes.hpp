// Takes ownership of values that the host allocated in the component's memory, without a copy.
#pragma once

#include <cstdlib>
#include <string_view>
#include <utility>

#include "core/webassembly/bucket_store.hpp"

namespace portail::edge {

// Moves the bytes of `list`, a list<u8> from the host, into `buffers`. Returns a view of them, valid as long as
// `buffers`. The list is empty afterwards, so freeing it has no effect.
template <class List>
std::string_view adopt(List& list, HostBuffers& buffers) {
  const std::size_t size = std::exchange(list.len, 0);
  if (size == 0) return "";  // an empty list has no allocation
  std::uint8_t* bytes = std::exchange(list.ptr, nullptr);
  buffers.emplace_back(bytes, std::free);
  return {reinterpret_cast<const char*>(bytes), size};
}

}  // namespace portail::edge
