#include "edge/http/p3/outgoing_answer.hpp"

#include <utility>

#include "edge/http/header_list.hpp"
#include "edge/http/p3/byte_streams.hpp"

namespace portail::edge {
namespace {

constexpr int status_of_new_response = 200;  // wasi:http, response.new
// Spin reads SQLite on the thread of the task, which thereby leaves Tokio's workers: another thread is woken by the
// response, and flushes its head before this one has handed over the body. wasmtime keeps the first turn for itself
// (ProxyHandler polls a pending store once more); after the second the task runs on a worker again, which takes the
// body first. Measured with Spin 4.1: 0.5 ms instead of 44.
constexpr int turns_after_blocking = 2;

Fields fields_of(const Response& response) {
  HeaderList<wasi_http_list_tuple2_field_name_field_value_t> headers(response);
  auto list = headers.list();
  wasi_http_own_fields_t made{};
  wasi_http_header_error_t error{};
  if (wasi_http_static_fields_from_list(&list, &made, &error)) return Fields(made);
  wasi_http_header_error_free(&error);

  // There is a name that this host keeps for itself: it is left out.
  Fields fields(wasi_http_constructor_fields());
  for (std::size_t i = 0; i < list.len; ++i) {
    if (wasi_http_method_fields_append(wasi_http_borrow_fields(fields.get()), &list.ptr[i].f0, &list.ptr[i].f1, &error))
      continue;
    wasi_http_header_error_free(&error);
  }
  return fields;
}

OutgoingResponse make_response(const Response& response, ByteReader contents, const PromisedTrailers& trailers) {
  wasi_http_stream_u8_t stream = contents ? contents.release() : 0;
  wasi_http_tuple2_own_response_future_result_void_error_code_t made;
  wasi_http_static_response_new(fields_of(response).release(), stream ? &stream : nullptr, trailers.reader(), &made);
  // The result of sending, whether it was sent whole, is not used here.
  const DoneReader unread(made.f1);
  OutgoingResponse answer(made.f0);
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
  for (int turn = 0; response_ && turn < turns_after_blocking; ++turn) co_await Yield();
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
  trailers_->keep(no_trailers);
}

// The promise of trailers is broken, so the client sees that bytes are missing.
void OutgoingAnswer::break_off() {
  return_response();
  stream_.reset();
  trailers_.reset();
}

}  // namespace portail::edge
