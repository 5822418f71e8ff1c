// An owning handle of a host's resource, which the destructor drops. Move-only; empty after release() and after a move.
#pragma once

#include <utility>

namespace portail::edge {

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
