// The head of a request as the core sees it: views of what the host gave. HostHead is that of the adapter's version,
// and owns the bytes.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "core/base/text.hpp"
#include "core/http/request.hpp"
#include "edge/host/lists.hpp"

namespace portail::edge {

// Whether the request can have a body at all, as far as its head says: the host has taken the framing away.
inline bool may_have_body(std::string_view method, const std::vector<HeaderView>& headers) {
  for (const HeaderView& header : headers) {
    if (equals_ignoring_case(header.name, "Content-Length")) return header.value != "0";
  }
  return method != "GET" && method != "HEAD";
}

template <class HostHead>
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

  // With `body` where the request may have one. The views live as long as this.
  [[nodiscard]] Request with(ChunkSource& body) const {
    return {.method = method(),
            .target = view_of(host_.target),
            .headers = headers_,
            .scheme_is_https = {is_https, &host_},
            // Only the host's own front end can reach a component.
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

  static bool is_https(const void* host) { return static_cast<const HostHead*>(host)->is_https(); }

  HostHead host_;
  std::vector<HeaderView> headers_;
};

}  // namespace portail::edge
