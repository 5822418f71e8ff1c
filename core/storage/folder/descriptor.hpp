// Owns a file descriptor. One thread at a time.
#pragma once

#include <utility>

#include <unistd.h>

namespace portail {

class Descriptor {
 public:
  // -1, the error result of openat(), is an empty Descriptor.
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }

  explicit operator bool() const { return number_ >= 0; }
  [[nodiscard]] int number() const { return number_; }
  // Releases ownership: the caller must close the result.
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

}  // namespace portail
