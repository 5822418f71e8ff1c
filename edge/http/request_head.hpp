// The head of a request as the core sees it: views of what the host gave. HostHead is that of the adapter's version,
// and owns the bytes.
#pragma once

#include <vector>

#include "core/http/request.hpp"
#include "edge/http/messages.hpp"

namespace portail::edge {

template <class HostHead>
class RequestHead {
 public:
  template <class IncomingRequest>
  explicit RequestHead(const IncomingRequest& request) : host_(request), headers_(views_of_headers(host_.fields)) {}

  // With `body` where the request may have one. The views live as long as this.
  [[nodiscard]] Request with(ChunkSource& body) const {
    const std::string_view method = view_of_method(host_.method);
    return {.method = method,
            .target = view_of(host_.target),
            .headers = headers_,
            .scheme_is_https = host_.is_https,
            // Nobody but the host's own front reaches a component.
            .forwarding_trusted = true,
            .body = may_have_body(method, headers_) ? &body : nullptr};
  }

 private:
  HostHead host_;
  std::vector<HeaderView> headers_;
};

}  // namespace portail::edge
