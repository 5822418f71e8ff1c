#include "wasm/module/buffer.hpp"

#include <new>

namespace portail::wasm {

std::uint8_t* allocate_buffer(std::uint32_t size) { return static_cast<std::uint8_t*>(::operator new(size)); }

void release_buffer(std::uint8_t* bytes) { ::operator delete(bytes); }

}  // namespace portail::wasm
