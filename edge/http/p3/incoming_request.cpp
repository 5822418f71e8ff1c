#include "edge/http/p3/incoming_request.hpp"

namespace portail::edge {

IncomingHead::IncomingHead(const IncomingRequest& request) : request_(request) {
  const wasi_http_borrow_request_t borrowed = wasi_http_borrow_request(request.get());
  wasi_http_method_request_get_method(borrowed, &method);
  if (!wasi_http_method_request_get_path_with_query(borrowed, &target)) target = {};
  const Fields headers(wasi_http_method_request_get_headers(borrowed));
  wasi_http_method_fields_copy_all(wasi_http_borrow_fields(headers.get()), &fields);
}

IncomingHead::~IncomingHead() {
  wasi_http_method_free(&method);
  http3_string_free(&target);
  http3_list_tuple2_field_name_field_value_free(&fields);
}

bool IncomingHead::is_https() const {
  wasi_http_scheme_t scheme{};
  if (!request_ || !wasi_http_method_request_get_scheme(wasi_http_borrow_request(request_.get()), &scheme))
    return false;
  const bool is_https = scheme.tag == WASI_HTTP_SCHEME_HTTPS;
  wasi_http_scheme_free(&scheme);
  return is_https;
}

void RequestBody::open() {
  done_.emplace();
  wasi_http_tuple2_stream_u8_future_result_option_own_trailers_error_code_t contents;
  wasi_http_static_request_consume_body(request_.release(), done_->reader(), &contents);
  stream_ = ByteReader(contents.f0);
  trailers_ = TrailersReader(contents.f1);
  buffer_.resize(body_chunk_size);
}

Task<std::optional<std::string_view>> RequestBody::next(Context& context) {
  if (ended_) co_return std::nullopt;
  if (!stream_) open();
  const auto count = co_await outcome(read_bytes(context, stream_, buffer_, timer_));
  if (!count) co_await std::unexpected(Failure::body_late);
  if (*count > 0) co_return std::string_view(buffer_.data(), *count);
  ended_ = true;
  stream_.reset();
  const auto complete = co_await outcome(is_complete(context, trailers_, timer_));
  if (!complete) co_await std::unexpected(Failure::body_late);
  if (!*complete) co_await std::unexpected(Failure::body_incomplete);
  trailers_.reset();
  done_->write(body_complete);
  co_return std::nullopt;
}

void RequestBody::close() {
  ended_ = true;
  stream_.reset();
  trailers_.reset();
  // If the body was not read to its end, this writes the error value.
  done_.reset();
}

}  // namespace portail::edge
