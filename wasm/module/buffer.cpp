#include "wasm/module/buffer.hpp"

#include <cstdlib>

#include "core/storage/key_value_store.hpp"

namespace portail::wasm {

std::uint8_t* allocate_buffer(std::uint32_t size) {
  const std::size_t with_padding = std::size_t{size} + readable_padding;
  auto* bytes = with_padding > size ? static_cast<std::uint8_t*>(std::malloc(with_padding)) : nullptr;
  if (!bytes) std::abort();
  return bytes;
}

void release_buffer(std::uint8_t* bytes) { std::free(bytes); }

}  // namespace portail::wasm
