// A buffer in the module's memory that the host has filled. Move-only.
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <string_view>

namespace portail::wasm {

// Allocates `size` bytes. Traps if the memory is exhausted.
inline std::uint8_t* allocate_buffer(std::uint32_t size) { return static_cast<std::uint8_t*>(::operator new(size)); }
inline void release_buffer(std::uint8_t* bytes) { ::operator delete(bytes); }

class Buffer {
 public:
  Buffer() = default;
  // `bytes` is null, or was returned by allocate_buffer.
  Buffer(std::uint8_t* bytes, std::uint32_t size) : bytes_(bytes), size_(bytes ? size : 0) {}

  [[nodiscard]] std::string_view view() const { return {reinterpret_cast<const char*>(bytes_.get()), size_}; }
  [[nodiscard]] bool empty() const { return size_ == 0; }

 private:
  struct Release {
    void operator()(std::uint8_t* bytes) const { release_buffer(bytes); }
  };
  std::unique_ptr<std::uint8_t, Release> bytes_;
  std::uint32_t size_ = 0;
};

}  // namespace portail::wasm
