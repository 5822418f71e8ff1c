#include "edge/http/p2/incoming_request.hpp"

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
  wasi_http_scheme_t scheme{};
  if (!wasi_http_method_incoming_request_scheme(wasi_http_borrow_incoming_request(request_.get()), &scheme))
    return false;
  const bool is_https = scheme.tag == WASI_HTTP_SCHEME_HTTPS;
  wasi_http_scheme_free(&scheme);
  return is_https;
}

bool RequestBody::open() {
  wasi_http_own_incoming_body_t body{};
  return wasi_http_method_incoming_request_consume(wasi_http_borrow_incoming_request(request_.get()), &body) &&
         stream_.open(body);
}

Task<std::optional<std::string_view>> RequestBody::next(Context&) {
  if (ended_) co_return std::nullopt;
  if (!stream_.is_open() && !open()) co_await std::unexpected(Failure::body_incomplete);
  const auto chunk = stream_.next(timer_);
  ended_ = !chunk || chunk->empty();
  if (!chunk) co_await std::unexpected(chunk.error());
  if (ended_) co_return std::nullopt;
  co_return *chunk;
}

}  // namespace portail::edge
