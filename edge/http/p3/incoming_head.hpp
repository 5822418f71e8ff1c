// The head of a request, copied from the host. The scheme is read on demand. edge/http/request_head.hpp presents it to
// the core.
#pragma once

#include <optional>

#include "edge/http/p3/resources.hpp"

namespace portail::edge {

struct IncomingHead {
  // `request` outlives this.
  explicit IncomingHead(const IncomingRequest& request);
  IncomingHead(const IncomingHead&) = delete;
  IncomingHead& operator=(const IncomingHead&) = delete;
  ~IncomingHead();

  // The first call reads the scheme from the host, and must precede the first read of the body.
  [[nodiscard]] bool is_https() const;

  wasi_http_method_t method{};
  http3_string_t target{};  // empty if the request has none
  http3_list_tuple2_field_name_field_value_t fields{};

 private:
  const IncomingRequest& request_;
  mutable std::optional<bool> is_https_;
};

}  // namespace portail::edge
