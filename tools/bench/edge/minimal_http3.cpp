// The minimal cost of wasi:http 0.3: only the generated bindings. Reads method, path and headers of the request, reads
// from system and store what the portal needs for this answer, and answers.
#include "edge/bindings/http3/http3.h"
#include "tools/bench/edge/answer.hpp"

namespace {

// An answer that is being sent: the host reads its body, then its trailers.
struct Sending {
  http3_waitable_set_t set = http3_waitable_set_new();
  wasi_http_stream_u8_writer_t body = 0;
  wasi_http_future_result_option_own_trailers_error_code_writer_t trailers = 0;
  int awaited = 0;
};

// The host may read it late.
constexpr wasi_http_result_option_own_trailers_error_code_t no_trailers{};

template <class List>
List list_of(std::string_view text) {
  return {.ptr = reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data())), .len = text.size()};
}

void read_head(wasi_http_own_request_t request) {
  const wasi_http_borrow_request_t borrowed = wasi_http_borrow_request(request);
  wasi_http_method_t method{};
  wasi_http_method_request_get_method(borrowed, &method);
  wasi_http_method_free(&method);
  if (http3_string_t path{}; wasi_http_method_request_get_path_with_query(borrowed, &path)) http3_string_free(&path);
  const wasi_http_own_headers_t headers = wasi_http_method_request_get_headers(borrowed);
  wasi_http_list_tuple2_field_name_field_value_t fields{};
  wasi_http_method_fields_copy_all(wasi_http_borrow_fields(headers), &fields);
  wasi_http_list_tuple2_field_name_field_value_free(&fields);
  wasi_http_fields_drop_own(headers);
}

wasi_http_own_response_t make_response(wasi_http_stream_u8_t body,
                                       wasi_http_future_result_option_own_trailers_error_code_t trailers) {
  const wasi_http_own_fields_t fields = wasi_http_constructor_fields();
  for (const auto& [name, value] : minimal::answer().headers) {
    auto name_bytes = list_of<http3_string_t>(name);
    auto value_bytes = list_of<wasi_http_field_value_t>(value);
    wasi_http_header_error_t error{};
    wasi_http_method_fields_append(wasi_http_borrow_fields(fields), &name_bytes, &value_bytes, &error);
  }
  wasi_http_tuple2_own_response_future_result_void_error_code_t result{};
  wasi_http_static_response_new(fields, &body, trailers, &result);
  wasi_http_future_result_void_error_code_drop_readable(result.f1);
  return result.f0;
}

http3_callback_code_t state(Sending* sending) {
  if (sending->awaited > 0) return HTTP3_CALLBACK_CODE_WAIT(sending->set);
  http3_waitable_set_drop(sending->set);
  delete sending;
  return HTTP3_CALLBACK_CODE_EXIT;
}

void drop_when_written(Sending* sending, std::uint32_t writer, http3_waitable_status_t status,
                       void (*drop)(std::uint32_t)) {
  if (status != HTTP3_WAITABLE_STATUS_BLOCKED) return drop(writer);
  http3_waitable_join(writer, sending->set);
  ++sending->awaited;
}

}  // namespace

http3_callback_code_t exports_handler_handle(exports_handler_own_request_t request) {
  read_head(request);
  minimal::call_system();
  minimal::read_values();

  auto* sending = new Sending;
  http3_context_set_0(sending);
  const wasi_http_stream_u8_t body = wasi_http_stream_u8_new(&sending->body);
  const auto trailers = wasi_http_future_result_option_own_trailers_error_code_new(&sending->trailers);
  exports_handler_result_own_response_error_code_t result{};
  result.val.ok = make_response(body, trailers);
  exports_handler_handle_return(result);

  // The host reads a body of this size as a whole.
  const std::string_view bytes = minimal::answer().body;
  drop_when_written(
      sending, sending->body,
      wasi_http_stream_u8_write(sending->body, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()),
      wasi_http_stream_u8_drop_writable);
  drop_when_written(sending, sending->trailers,
                    wasi_http_future_result_option_own_trailers_error_code_write(sending->trailers, &no_trailers),
                    wasi_http_future_result_option_own_trailers_error_code_drop_writable);
  wasi_http_request_drop_own(request);
  return state(sending);
}

http3_callback_code_t exports_handler_handle_callback(http3_event_t* event) {
  auto* sending = static_cast<Sending*>(http3_context_get_0());
  if (event->event == HTTP3_EVENT_STREAM_WRITE) {
    --sending->awaited;
    wasi_http_stream_u8_drop_writable(event->waitable);
  } else if (event->event == HTTP3_EVENT_FUTURE_WRITE) {
    --sending->awaited;
    wasi_http_future_result_option_own_trailers_error_code_drop_writable(event->waitable);
  }
  return state(sending);
}
