#include "edge/http/p2/outgoing_answer.hpp"

#include "edge/host/owned.hpp"
#include "edge/http/request_head.hpp"

namespace portail::edge {
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
