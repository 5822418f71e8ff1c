// Bytes of tests, written as hexadecimal digits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

namespace portail {

inline std::vector<std::byte> bytes_of_hex(std::string_view hex) {
  const auto digit = [](char c) { return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10); };
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(digit(hex[i]) * 16 + digit(hex[i + 1])));
  }
  return bytes;
}

// The same as an array, which is as long as the digits say or ends in zeros.
template <class Array>
Array array_of_hex(std::string_view hex) {
  Array array{};
  std::ranges::copy(bytes_of_hex(hex), array.begin());
  return array;
}

}  // namespace portail
