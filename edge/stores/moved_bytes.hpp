// Values as the host allocated them in this component's memory, without a copy.
#pragma once

#include <cstdlib>
#include <string_view>
#include <utility>

#include "core/guest/bucket_store.hpp"

namespace portail::edge {

// The bytes of `list`, a list<u8> that the host gave, as a view that lives as long as `buffers`. The list is empty
// afterwards: freeing it has no effect.
template <class List>
std::string_view moved(List& list, HostBuffers& buffers) {
  const std::size_t size = std::exchange(list.len, 0);
  if (size == 0) return "";  // nothing was allocated
  std::uint8_t* bytes = std::exchange(list.ptr, nullptr);
  buffers.emplace_back(bytes, std::free);
  return {reinterpret_cast<const char*>(bytes), size};
}

}  // namespace portail::edge
