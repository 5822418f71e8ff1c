// The encoding of wasm/abi/portail.h: numbers in little-endian, and texts with their length before them.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "wasm/abi/portail.h"

namespace portail::wasm {

// Reads from the beginning of `bytes`, which it does not own. What is not there is a fault, and so is everything after
// it; a caller need only look at the end.
class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : rest_(bytes) {}

  std::uint32_t number() {
    const std::string_view digits = take(sizeof(std::uint32_t));
    std::uint32_t value = 0;
    if (!faulty_) std::memcpy(&value, digits.data(), sizeof value);
    return value;
  }
  std::string_view text() { return take(number()); }
  // PORTAIL_ABSENT, or a text.
  std::optional<std::string_view> value() {
    const std::uint32_t size = number();
    if (size == PORTAIL_ABSENT) return std::nullopt;
    return take(size);
  }

  [[nodiscard]] bool faulty() const { return faulty_; }
  // Everything was there, and nothing more.
  [[nodiscard]] bool complete() const { return !faulty_ && rest_.empty(); }

 private:
  static_assert(std::endian::native == std::endian::little);

  std::string_view take(std::size_t size) {
    faulty_ = faulty_ || size > rest_.size();
    if (faulty_) return {};
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  std::string_view rest_;
  bool faulty_ = false;
};

inline void append_number(std::string& to, std::uint32_t number) {
  char bytes[sizeof number];
  std::memcpy(bytes, &number, sizeof number);
  to.append(bytes, sizeof bytes);
}

inline void append_text(std::string& to, std::string_view text) {
  append_number(to, static_cast<std::uint32_t>(text.size()));
  to.append(text);
}

// As imports take them.
inline const std::uint8_t* bytes_of(std::string_view text) {
  return reinterpret_cast<const std::uint8_t*>(text.data());
}
inline std::uint32_t size_of(std::string_view text) { return static_cast<std::uint32_t>(text.size()); }

}  // namespace portail::wasm
