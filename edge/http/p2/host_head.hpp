// The head of a request as the host gives it, copied once; edge/http/request_head.hpp shows it to the core.
#pragma once

#include "edge/http/p2/resources.hpp"

namespace portail::edge {

struct HostHead {
  explicit HostHead(const IncomingRequest& request);
  HostHead(const HostHead&) = delete;
  HostHead& operator=(const HostHead&) = delete;
  ~HostHead();

  wasi_http_method_t method{};
  http2_string_t target{};  // empty where the request has none
  bool is_https = false;
  wasi_http_list_tuple2_field_name_field_value_t fields{};
};

}  // namespace portail::edge
