#include "edge/http/p2/body_stream.hpp"

#include "edge/host/owned.hpp"
#include "edge/http/instance.hpp"

namespace portail::edge {

bool BodyStream::open(wasi_http_own_incoming_body_t body) {
  body_ = IncomingBody(body);
  wasi_http_own_input_stream_t stream{};
  if (!wasi_http_method_incoming_body_stream(wasi_http_borrow_incoming_body(body_.get()), &stream)) return false;
  stream_ = InputStream(stream);
  ready_ = Pollable(io_method_input_stream_subscribe(io_borrow_input_stream(stream_.get())));
  return true;
}

Result<std::string_view> BodyStream::next(Timer& timer) {
  while (true) {
    http2_list_u8_free(&chunk_);
    chunk_ = {};
    io_stream_error_t error{};
    if (!io_method_input_stream_read(io_borrow_input_stream(stream_.get()), body_chunk_size, &chunk_, &error)) {
      chunk_ = {};
      const bool is_end = error.tag == IO_STREAM_ERROR_CLOSED;
      io_stream_error_free(&error);
      if (is_end) return std::string_view();
      return std::unexpected(Failure::body_incomplete);
    }
    if (chunk_.len > 0) return view_of(chunk_);
    if (!timer.wait_for(ready_)) return std::unexpected(Failure::body_late);
  }
}

}  // namespace portail::edge
