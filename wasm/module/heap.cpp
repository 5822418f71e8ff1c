#include "wasm/module/heap.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace portail::wasm {
namespace {

std::size_t& in_use() {
  static std::size_t bytes = 0;
  return bytes;
}

// The size of a block is stored before it: the result of malloc_usable_size may change while a block is in use.
constexpr std::size_t header = alignof(std::max_align_t);

void* allocate(std::size_t size) {
  void* const block = size <= SIZE_MAX - header ? std::malloc(header + size) : nullptr;
  if (!block) return nullptr;
  *static_cast<std::size_t*>(block) = size;
  in_use() += size;
  return static_cast<std::byte*>(block) + header;
}

void release(void* bytes) {
  if (!bytes) return;
  void* const block = static_cast<std::byte*>(bytes) - header;
  in_use() -= *static_cast<std::size_t*>(block);
  std::free(block);
}

}  // namespace

std::size_t heap_in_use() { return in_use(); }

}  // namespace portail::wasm

// Replaces the global operators, to count the module's allocations.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return portail::wasm::allocate(size); }
void* operator new(std::size_t size) {
  void* const bytes = portail::wasm::allocate(size);
  if (!bytes) std::abort();
  return bytes;
}
void operator delete(void* bytes) noexcept { portail::wasm::release(bytes); }
void operator delete(void* bytes, std::size_t) noexcept { portail::wasm::release(bytes); }

// The array forms of libc++abi need not call the forms above.
void* operator new[](std::size_t size, const std::nothrow_t& nothrow) noexcept { return operator new(size, nothrow); }
void* operator new[](std::size_t size) { return operator new(size); }
void operator delete[](void* bytes) noexcept { operator delete(bytes); }
void operator delete[](void* bytes, std::size_t) noexcept { operator delete(bytes); }
