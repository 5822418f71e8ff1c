// Bytes that the host wrote into the module's memory. Move-only.
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <string_view>

namespace portail::wasm {

// Room for `size` bytes; traps where there is none.
inline std::uint8_t* allocate_buffer(std::uint32_t size) { return static_cast<std::uint8_t*>(::operator new(size)); }
inline void release_buffer(std::uint8_t* bytes) { ::operator delete(bytes); }

class Buffer {
 public:
  Buffer() = default;
  // `bytes` came from allocate_buffer, or is null.
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
