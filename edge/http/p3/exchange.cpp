#include "edge/http/p3/exchange.hpp"

#include <utility>

#include "edge/http/p3/byte_streams.hpp"
#include "edge/http/request_head.hpp"

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
  if (!is_https_) {
    wasi_http_scheme_t scheme{};
    const bool has_scheme =
        request_ && wasi_http_method_request_get_scheme(wasi_http_borrow_request(request_.get()), &scheme);
    is_https_ = has_scheme && scheme.tag == WASI_HTTP_SCHEME_HTTPS;
    if (has_scheme) wasi_http_scheme_free(&scheme);
  }
  return *is_https_;
}

namespace {

constexpr std::size_t chunk_size = 16 * 1024;

}  // namespace

void RequestBody::open() {
  done_.emplace();
  wasi_http_tuple2_stream_u8_future_result_option_own_trailers_error_code_t contents;
  wasi_http_static_request_consume_body(request_.release(), done_->reader(), &contents);
  stream_ = ByteReader(contents.f0);
  trailers_ = TrailersReader(contents.f1);
  buffer_.resize(chunk_size);
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
