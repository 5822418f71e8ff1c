#include "wasm/module/buffer.hpp"

#include <cstdlib>
#include <new>

#include "core/storage/key_value_store.hpp"

namespace portail::wasm {

std::uint8_t* allocate_buffer(std::uint32_t size) {
  const std::size_t with_padding = std::size_t{size} + readable_padding;
  if (with_padding < size) std::abort();
  return static_cast<std::uint8_t*>(::operator new(with_padding));
}

void release_buffer(std::uint8_t* bytes) { ::operator delete(bytes); }

}  // namespace portail::wasm
