#include "edge/http/p3/outgoing_answer.hpp"

#include <utility>

#include "edge/http/request_head.hpp"

namespace portail::edge {
namespace {

constexpr int status_of_new_response = 200;  // wasi:http, response.new
// Spin reads SQLite on the thread of the task, which then is no longer a worker of Tokio. The response wakes another
// thread, which flushes its head before this thread has written the body. wasmtime consumes the first yield
// (ProxyHandler polls a pending store once more). After the second, the task runs on a worker again, and the body is
// written first. Measured with Spin 4.1: 0.5 ms instead of 44 ms.
constexpr int yields_after_blocking = 2;

Fields fields_of(const Response& response) {
  HeaderList<http3_list_tuple2_field_name_field_value_t> headers(response);
  auto list = headers.list();
  wasi_http_own_fields_t created{};
  wasi_http_header_error_t error{};
  if (wasi_http_static_fields_from_list(&list, &created, &error)) return Fields(created);
  wasi_http_header_error_free(&error);

  // The host reserves one of the names; fields_append fails for it, and the field is omitted.
  Fields fields(wasi_http_constructor_fields());
  for (std::size_t i = 0; i < list.len; ++i) {
    if (wasi_http_method_fields_append(wasi_http_borrow_fields(fields.get()), &list.ptr[i].f0, &list.ptr[i].f1, &error))
      continue;
    wasi_http_header_error_free(&error);
  }
  return fields;
}

OutgoingResponse make_response(const Response& response, ByteReader contents, const TrailersWriter& trailers) {
  wasi_http_stream_u8_t stream = contents ? contents.release() : 0;
  wasi_http_tuple2_own_response_future_result_void_error_code_t created;
  wasi_http_static_response_new(fields_of(response).release(), stream ? &stream : nullptr, trailers.reader(), &created);
  // The result of the transmission is not used.
  const DoneReader unread(created.f1);
  OutgoingResponse answer(created.f0);
  if (response.status != status_of_new_response) {
    wasi_http_method_response_set_status_code(wasi_http_borrow_response(answer.get()),
                                              static_cast<std::uint16_t>(response.status));
  }
  return answer;
}

}  // namespace

Task<bool> OutgoingAnswer::begin(Context&, const Response& response, bool has_body) {
  trailers_.emplace();
  ByteReader contents;
  if (has_body) {
    wasi_http_stream_u8_writer_t end{};
    contents = ByteReader(wasi_http_stream_u8_new(&end));
    stream_ = ByteWriter(end);
  }
  response_ = make_response(response, std::move(contents), *trailers_);
  if (!has_body) return_response();
  co_return true;
}

void OutgoingAnswer::return_response() {
  if (!response_) return;
  exports_handler_result_own_response_error_code_t result{};
  result.val.ok = response_.release();
  exports_handler_handle_return(result);
}

Task<bool> OutgoingAnswer::write(Context&, std::string_view piece) {
  for (int i = 0; response_ && i < yields_after_blocking; ++i) co_await Yield();
  while (!piece.empty()) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(piece.data());
    InFlight<wasi_http_stream_u8_cancel_write> write(stream_.get(),
                                                     wasi_http_stream_u8_write(stream_.get(), bytes, piece.size()));
    return_response();
    if (write.pending()) {
      const auto code = co_await Wait(stream_.get(), timer_);
      if (!code) co_return false;
      write.complete(*code);
    }
    piece.remove_prefix(write.count());
    if (!write.open() && !piece.empty()) co_return false;
  }
  co_return true;
}

void OutgoingAnswer::end() {
  return_response();
  stream_.reset();
  trailers_->write(no_trailers);
}

// The trailers are an error then, so the client detects that bytes are missing.
void OutgoingAnswer::abort() {
  return_response();
  stream_.reset();
  trailers_.reset();
}

}  // namespace portail::edge
