// Values of the host's interfaces: lists and what owns them.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

namespace portail::edge {

// Conversion between views and the lists of `wit-bindgen c`, {ptr, len}.

// Returns a view of a string or list, valid as long as `bytes`.
template <class Bytes>
std::string_view view_of(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.ptr), bytes.len};
}

// Returns a list that refers to `text`, which must outlive it. The generated functions take lists that they only read
// without const.
template <class Bytes>
Bytes list_of(std::string_view text) {
  return {.ptr = reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data())), .len = text.size()};
}

// An owning handle of a host's resource, which the destructor drops. Move-only; empty after release() and after a move.

template <class Handle, void (*drop)(Handle)>
class Owned {
 public:
  Owned() = default;
  explicit Owned(Handle handle) : handle_(handle), held_(true) {}
  Owned(Owned&& other) noexcept : handle_(other.handle_), held_(std::exchange(other.held_, false)) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(held_, other.held_);
    return *this;
  }
  ~Owned() { reset(); }

  explicit operator bool() const { return held_; }
  [[nodiscard]] Handle get() const { return handle_; }
  // Transfers ownership to the caller.
  [[nodiscard]] Handle release() {
    held_ = false;
    return handle_;
  }
  void reset() {
    if (std::exchange(held_, false)) drop(handle_);
  }

 private:
  Handle handle_{};
  bool held_ = false;
};

}  // namespace portail::edge
