// Strings and lists as `wit-bindgen c` makes them, {ptr, len}, and views.
#pragma once

#include <cstdint>
#include <string_view>

namespace portail::edge {

// The view lives as long as what it shows.
template <class Bytes>
std::string_view view_of(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.ptr), bytes.len};
}

// The other way round, for the generated functions, which take what they only read without const. `text` lives as long
// as the list.
template <class Bytes>
Bytes list_of(std::string_view text) {
  return {.ptr = reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data())), .len = text.size()};
}

}  // namespace portail::edge
