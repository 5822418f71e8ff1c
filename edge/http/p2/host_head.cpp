#include "edge/http/p2/host_head.hpp"

namespace portail::edge {

HostHead::HostHead(const IncomingRequest& request) {
  const wasi_http_borrow_incoming_request_t borrowed = wasi_http_borrow_incoming_request(request.get());
  wasi_http_method_incoming_request_method(borrowed, &method);
  if (!wasi_http_method_incoming_request_path_with_query(borrowed, &target)) target = {};
  if (wasi_http_scheme_t scheme{}; wasi_http_method_incoming_request_scheme(borrowed, &scheme)) {
    is_https = scheme.tag == WASI_HTTP_SCHEME_HTTPS;
    wasi_http_scheme_free(&scheme);
  }
  const Fields headers(wasi_http_method_incoming_request_headers(borrowed));
  wasi_http_method_fields_entries(wasi_http_borrow_fields(headers.get()), &fields);
}

HostHead::~HostHead() {
  wasi_http_method_free(&method);
  http2_string_free(&target);
  wasi_http_list_tuple2_field_name_field_value_free(&fields);
}

}  // namespace portail::edge
