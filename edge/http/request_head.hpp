// Heads of requests and answers between the core and a version of wasi:http.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/base/text.hpp"
#include "core/http/request.hpp"
#include "core/http/response.hpp"
#include "edge/host/owned.hpp"

namespace portail::edge {

// The headers of an answer as one list for the host. List is the list type of the adapter's version of wasi:http.

template <class List>
class HeaderList {
  using Entry = std::remove_pointer_t<decltype(List::ptr)>;

 public:
  // `response` outlives this.
  explicit HeaderList(const Response& response) {
    entries_.reserve(response.headers.size());
    for (const HeaderField& field : response.headers) {
      entries_.push_back(
          {.f0 = list_of<decltype(Entry::f0)>(field.name), .f1 = list_of<decltype(Entry::f1)>(field.value)});
    }
  }

  [[nodiscard]] List list() { return {.ptr = entries_.data(), .len = entries_.size()}; }

 private:
  std::vector<Entry> entries_;
};

// Presents the head of a request to the core, as views of an IncomingHead, which owns the bytes. IncomingHead is the
// type of the adapter's version of wasi:http.

// Returns whether the request may have a body according to its head. The host has removed the framing headers.
inline bool may_have_body(std::string_view method, const std::vector<HeaderView>& headers) {
  for (const HeaderView& header : headers) {
    if (equals_ignoring_case(header.name, "Content-Length")) return header.value != "0";
  }
  return method != "GET" && method != "HEAD";
}

template <class IncomingHead>
class RequestHead {
 public:
  template <class IncomingRequest>
  explicit RequestHead(const IncomingRequest& request) : host_(request) {
    headers_.reserve(host_.fields.len);
    for (std::size_t i = 0; i < host_.fields.len; ++i) {
      const auto& field = host_.fields.ptr[i];
      headers_.push_back({.name = view_of(field.f0), .value = trimmed(view_of(field.f1))});
    }
  }

  // Returns the request, with `body` if it may have one. The views are valid as long as this object.
  [[nodiscard]] Request with(ChunkSource& body) const {
    return {.method = method(),
            .target = view_of(host_.target),
            .headers = headers_,
            .scheme_is_https = {is_https, this},
            // Only the host can reach a component.
            .forwarding_trusted = true,
            .body = may_have_body(method(), headers_) ? &body : nullptr};
  }

 private:
  [[nodiscard]] std::string_view method() const {
    // In the order of wasi:http's variant `method`, in both versions.
    static constexpr std::array<std::string_view, 9> names{"GET",     "HEAD",    "POST",  "PUT",  "DELETE",
                                                           "CONNECT", "OPTIONS", "TRACE", "PATCH"};
    return host_.method.tag < names.size() ? names[host_.method.tag] : view_of(host_.method.val.other);
  }

  // Asks the host once.
  static bool is_https(const void* head) {
    const auto& self = *static_cast<const RequestHead*>(head);
    if (!self.is_https_) self.is_https_ = self.host_.is_https();
    return *self.is_https_;
  }

  IncomingHead host_;
  std::vector<HeaderView> headers_;
  mutable std::optional<bool> is_https_;
};

}  // namespace portail::edge
