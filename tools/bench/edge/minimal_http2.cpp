// The minimal cost of wasi:http 0.2: only the generated bindings. Reads method, path and headers of the request, reads
// from system and store what the portal needs for this answer, and answers.
#include "edge/bindings/http2/http2.h"
#include "tools/bench/edge/answer.hpp"

namespace {

template <class List>
List list_of(std::string_view text) {
  return {.ptr = reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data())), .len = text.size()};
}

void read_head(wasi_http_own_incoming_request_t request) {
  const wasi_http_borrow_incoming_request_t borrowed = wasi_http_borrow_incoming_request(request);
  wasi_http_method_t method{};
  wasi_http_method_incoming_request_method(borrowed, &method);
  wasi_http_method_free(&method);
  if (http2_string_t path{}; wasi_http_method_incoming_request_path_with_query(borrowed, &path))
    http2_string_free(&path);
  const wasi_http_own_headers_t headers = wasi_http_method_incoming_request_headers(borrowed);
  wasi_http_list_tuple2_field_name_field_value_t fields{};
  wasi_http_method_fields_entries(wasi_http_borrow_fields(headers), &fields);
  wasi_http_list_tuple2_field_name_field_value_free(&fields);
  wasi_http_fields_drop_own(headers);
}

wasi_http_own_outgoing_response_t make_response() {
  const wasi_http_own_fields_t fields = wasi_http_constructor_fields();
  for (const auto& [name, value] : minimal::answer().headers) {
    auto name_bytes = list_of<http2_string_t>(name);
    auto value_bytes = list_of<wasi_http_field_value_t>(value);
    wasi_http_header_error_t error{};
    wasi_http_method_fields_append(wasi_http_borrow_fields(fields), &name_bytes, &value_bytes, &error);
  }
  return wasi_http_constructor_outgoing_response(fields);
}

void write(wasi_http_own_outgoing_body_t body) {
  wasi_http_own_output_stream_t stream{};
  wasi_http_method_outgoing_body_write(wasi_http_borrow_outgoing_body(body), &stream);
  std::uint64_t room = 0;
  io_stream_error_t error{};
  io_method_output_stream_check_write(io_borrow_output_stream(stream), &room, &error);
  // The host accepts a body of this size in one write.
  auto bytes = list_of<http2_list_u8_t>(minimal::answer().body);
  io_method_output_stream_write(io_borrow_output_stream(stream), &bytes, &error);
  io_output_stream_drop_own(stream);
}

}  // namespace

void exports_handler_handle(exports_handler_own_incoming_request_t request,
                            exports_handler_own_response_outparam_t response_out) {
  read_head(request);
  minimal::call_system();
  minimal::read_values();

  const wasi_http_own_outgoing_response_t response = make_response();
  wasi_http_own_outgoing_body_t body{};
  wasi_http_method_outgoing_response_body(wasi_http_borrow_outgoing_response(response), &body);
  wasi_http_result_own_outgoing_response_error_code_t result{};
  result.val.ok = response;
  wasi_http_static_response_outparam_set(response_out, &result);
  write(body);
  wasi_http_error_code_t error{};
  wasi_http_static_outgoing_body_finish(body, nullptr, &error);
  wasi_http_incoming_request_drop_own(request);
}
