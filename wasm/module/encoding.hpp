// The encoding of wasm/abi/portail.h: numbers in little-endian, and texts with a length prefix.
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

// Decodes `bytes`, which must outlive it. After a read past the end, faulty() is true and all further reads fail, so
// callers check once at the end.
class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : rest_(bytes) {}

  std::uint32_t number() {
    const std::string_view digits = next(sizeof(std::uint32_t));
    std::uint32_t value = 0;
    if (!faulty_) std::memcpy(&value, digits.data(), sizeof value);
    return value;
  }
  std::string_view text() { return next(number()); }
  // A text, or nullopt for PORTAIL_ABSENT.
  std::optional<std::string_view> value() {
    const std::uint32_t size = number();
    if (size == PORTAIL_ABSENT) return std::nullopt;
    return next(size);
  }

  [[nodiscard]] bool faulty() const { return faulty_; }
  // Returns whether all bytes were decoded without a fault.
  [[nodiscard]] bool complete() const { return !faulty_ && rest_.empty(); }

 private:
  static_assert(std::endian::native == std::endian::little);

  std::string_view next(std::size_t size) {
    faulty_ = faulty_ || size > rest_.size();
    if (faulty_) return {};
    const std::string_view bytes = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return bytes;
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

// A text, or PORTAIL_ABSENT for nullopt.
inline void append_value(std::string& to, std::optional<std::string_view> value) {
  if (value) {
    append_text(to, *value);
  } else {
    append_number(to, PORTAIL_ABSENT);
  }
}

// Address and size of a text, as arguments of imports.
inline const std::uint8_t* bytes_of(std::string_view text) {
  return reinterpret_cast<const std::uint8_t*>(text.data());
}
inline std::uint32_t size_of(std::string_view text) { return static_cast<std::uint32_t>(text.size()); }

}  // namespace portail::wasm
