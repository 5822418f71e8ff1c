// A text that the build embedded compressed. A constant; any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace portail {

class Document {
 public:
  // `deflated` is a raw DEFLATE stream (RFC 1951) of `size` bytes of text, and lives as long as the program.
  constexpr Document(std::span<const unsigned char> deflated, std::size_t size) : deflated_(deflated), size_(size) {}

  // The text, unpacked anew.
  [[nodiscard]] std::string text() const;

 private:
  std::span<const unsigned char> deflated_;
  std::size_t size_;
};

}  // namespace portail
