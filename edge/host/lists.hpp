// Conversion between views and the lists of `wit-bindgen c`, {ptr, len}.
#pragma once

#include <cstdint>
#include <string_view>

namespace portail::edge {

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

}  // namespace portail::edge
