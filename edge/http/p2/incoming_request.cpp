#include "edge/http/p2/incoming_request.hpp"

#include "edge/host/owned.hpp"

namespace portail::edge {
namespace {

constexpr std::uint64_t chunk_size = 16 * 1024;

}  // namespace

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

bool RequestBody::open() {
  wasi_http_own_incoming_body_t body{};
  if (!wasi_http_method_incoming_request_consume(wasi_http_borrow_incoming_request(request_.get()), &body))
    return false;
  body_ = IncomingBody(body);
  wasi_http_own_input_stream_t stream{};
  if (!wasi_http_method_incoming_body_stream(wasi_http_borrow_incoming_body(body_.get()), &stream)) return false;
  stream_ = InputStream(stream);
  ready_ = Pollable(io_method_input_stream_subscribe(io_borrow_input_stream(stream_.get())));
  return true;
}

void RequestBody::free_chunk() {
  http2_list_u8_free(&chunk_);
  chunk_ = {};
}

bool RequestBody::read() {
  while (true) {
    free_chunk();
    io_stream_error_t error{};
    if (!io_method_input_stream_read(io_borrow_input_stream(stream_.get()), chunk_size, &chunk_, &error)) {
      chunk_ = {};
      if (error.tag != IO_STREAM_ERROR_CLOSED) failure_ = Failure::body_incomplete;
      io_stream_error_free(&error);
      return false;
    }
    if (chunk_.len > 0) return true;
    if (!timer_.wait_for(ready_)) {
      failure_ = Failure::body_late;
      return false;
    }
  }
}

Task<std::optional<std::string_view>> RequestBody::next(Context&) {
  if (ended_) co_return std::nullopt;
  if (!stream_ && !open()) co_await std::unexpected(Failure::body_incomplete);
  ended_ = !read();
  if (failure_) co_await std::unexpected(*failure_);
  if (ended_) co_return std::nullopt;
  co_return view_of(chunk_);
}

}  // namespace portail::edge
