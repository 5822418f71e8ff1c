// What both versions of wasi:http share: how a request is shown to the core.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/text.hpp"
#include "core/http/request.hpp"

namespace portail::edge {

// In the order of wasi:http's variant `method`, in both versions.
inline constexpr std::array<std::string_view, 9> method_names{"GET",     "HEAD",    "POST",  "PUT",  "DELETE",
                                                              "CONNECT", "OPTIONS", "TRACE", "PATCH"};

// Strings and lists as `wit-bindgen c` makes them: {ptr, len}. The view lives as long as what it shows.
template <class Bytes>
std::string_view view_of(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.ptr), bytes.len};
}

// The other way round: the host copies the bytes and changes none of them.
template <class Bytes>
Bytes list_of(std::string_view text) {
  return {.ptr = reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data())), .len = text.size()};
}

template <class Method>
std::string_view view_of_method(const Method& method) {
  return method.tag < method_names.size() ? method_names[method.tag] : view_of(method.val.other);
}

template <class List>
std::vector<HeaderView> views_of_headers(const List& list) {
  std::vector<HeaderView> headers;
  headers.reserve(list.len);
  for (std::size_t i = 0; i < list.len; ++i) {
    headers.push_back({.name = view_of(list.ptr[i].f0), .value = trimmed(view_of(list.ptr[i].f1))});
  }
  return headers;
}

// Whether the request can have a body at all, as far as its head says: the host has taken the framing away.
bool may_have_body(std::string_view method, const std::vector<HeaderView>& headers);

}  // namespace portail::edge
