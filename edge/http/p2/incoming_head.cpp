#include "edge/http/p2/incoming_head.hpp"

namespace portail::edge {

IncomingHead::IncomingHead(const IncomingRequest& request) : request_(request) {
  const wasi_http_borrow_incoming_request_t borrowed = wasi_http_borrow_incoming_request(request.get());
  wasi_http_method_incoming_request_method(borrowed, &method);
  if (!wasi_http_method_incoming_request_path_with_query(borrowed, &target)) target = {};
  const Fields headers(wasi_http_method_incoming_request_headers(borrowed));
  wasi_http_method_fields_entries(wasi_http_borrow_fields(headers.get()), &fields);
}

IncomingHead::~IncomingHead() {
  wasi_http_method_free(&method);
  http2_string_free(&target);
  http2_list_tuple2_field_name_field_value_free(&fields);
}

bool IncomingHead::is_https() const {
  if (!is_https_) {
    wasi_http_scheme_t scheme{};
    const bool has_scheme = request_ && wasi_http_method_incoming_request_scheme(
                                            wasi_http_borrow_incoming_request(request_.get()), &scheme);
    is_https_ = has_scheme && scheme.tag == WASI_HTTP_SCHEME_HTTPS;
    if (has_scheme) wasi_http_scheme_free(&scheme);
  }
  return *is_https_;
}

}  // namespace portail::edge
