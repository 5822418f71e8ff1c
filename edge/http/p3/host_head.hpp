// The head of a request as the host gives it, copied once but for the scheme, which is asked for where it matters;
// edge/http/request_head.hpp shows it to the core.
#pragma once

#include <optional>

#include "edge/http/p3/resources.hpp"

namespace portail::edge {

struct HostHead {
  // `request` outlives this.
  explicit HostHead(const IncomingRequest& request);
  HostHead(const HostHead&) = delete;
  HostHead& operator=(const HostHead&) = delete;
  ~HostHead();

  // Asks the host the first time, which must be before the request's body is asked for.
  [[nodiscard]] bool is_https() const;

  wasi_http_method_t method{};
  http3_string_t target{};  // empty where the request has none
  wasi_http_list_tuple2_field_name_field_value_t fields{};

 private:
  const IncomingRequest& request_;
  mutable std::optional<bool> is_https_;
};

}  // namespace portail::edge
