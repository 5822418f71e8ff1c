// What both versions of wasi:http share: how a request is shown to the core, and what of an answer goes to the host.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/text.hpp"
#include "core/http/request.hpp"
#include "core/http/response.hpp"

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

// Whether bytes follow the answer's head: not after HEAD, 204 and 304 (RFC 9110 sections 6.4.1 and 9.3.2).
bool has_body(const Response& response, std::string_view method);

// What the host does not let a component say, because it frames the answer itself.
bool belongs_to_host(std::string_view header);

// The Content-Length that the answer tells; none where it has no body even for GET, or is made as it is sent.
std::optional<std::string> content_length(const Response& response);

// `append(name, value)` for each header that goes to the host.
template <class Append>
void for_each_header(const Response& response, const Append& append) {
  for (const HeaderField& field : response.headers) {
    if (!belongs_to_host(field.name)) append(field.name, std::string_view(field.value));
  }
  if (const auto length = content_length(response)) append("Content-Length", std::string_view(*length));
}

// For a handler that failed: 500 without a body.
Response failed_answer();

}  // namespace portail::edge
