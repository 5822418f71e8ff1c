#include "edge/http/p2/exchange.hpp"

#include "edge/host/owned.hpp"
#include "edge/http/request_head.hpp"

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

namespace {

constexpr std::uint64_t chunk_size = 16 * 1024;

}  // namespace

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

namespace {

constexpr int status_of_new_response = 200;  // wasi:http, the constructor of outgoing-response

Fields fields_of(const Response& response) {
  HeaderList<http2_list_tuple2_field_name_field_value_t> headers(response);
  auto list = headers.list();
  wasi_http_own_fields_t created{};
  wasi_http_header_error_t error{};
  if (wasi_http_static_fields_from_list(&list, &created, &error)) return Fields(created);

  // The host reserves one of the names; fields_append fails for it, and the field is omitted.
  Fields fields(wasi_http_constructor_fields());
  for (std::size_t i = 0; i < list.len; ++i) {
    wasi_http_method_fields_append(wasi_http_borrow_fields(fields.get()), &list.ptr[i].f0, &list.ptr[i].f1, &error);
  }
  return fields;
}

}  // namespace

Task<bool> OutgoingAnswer::begin(Context&, const Response& response, bool has_body) {
  response_ = OutgoingResponse(wasi_http_constructor_outgoing_response(fields_of(response).release()));
  const wasi_http_borrow_outgoing_response_t borrowed = wasi_http_borrow_outgoing_response(response_.get());
  if (response.status != status_of_new_response) {
    wasi_http_method_outgoing_response_set_status_code(borrowed, static_cast<std::uint16_t>(response.status));
  }
  wasi_http_own_outgoing_body_t body{};
  if (!wasi_http_method_outgoing_response_body(borrowed, &body)) co_return false;
  body_ = OutgoingBody(body);
  if (!has_body) {
    set_response();
    co_return true;
  }
  wasi_http_own_output_stream_t stream{};
  if (!wasi_http_method_outgoing_body_write(wasi_http_borrow_outgoing_body(body_.get()), &stream)) co_return false;
  stream_ = OutputStream(stream);
  co_return true;
}

void OutgoingAnswer::set_response() {
  if (!response_) return;
  wasi_http_result_own_outgoing_response_error_code_t result{};
  result.val.ok = response_.release();
  wasi_http_static_response_outparam_set(out_.release(), &result);
}

Task<bool> OutgoingAnswer::write(Context&, std::string_view piece) {
  const io_borrow_output_stream_t borrowed = io_borrow_output_stream(stream_.get());
  io_stream_error_t error{};
  while (!piece.empty()) {
    std::uint64_t capacity = 0;
    bool open = io_method_output_stream_check_write(borrowed, &capacity, &error);
    if (open && capacity == 0) {
      // The stream is not read before the host has the response.
      set_response();
      if (!timer_.wait_for(Pollable(io_method_output_stream_subscribe(borrowed)))) co_return false;
      continue;
    }
    auto part = list_of<http2_list_u8_t>(piece.substr(0, static_cast<std::size_t>(capacity)));
    open = open && io_method_output_stream_write(borrowed, &part, &error);
    if (!open) {
      io_stream_error_free(&error);
      co_return false;
    }
    piece.remove_prefix(part.len);
  }
  set_response();
  co_return true;
}

void OutgoingAnswer::end() {
  set_response();
  stream_.reset();
  wasi_http_error_code_t error{};
  if (!wasi_http_static_outgoing_body_finish(body_.release(), nullptr, &error)) wasi_http_error_code_free(&error);
}

// Dropping an unfinished body aborts the connection.
void OutgoingAnswer::abort() {
  set_response();
  stream_.reset();
  body_.reset();
}

}  // namespace portail::edge
