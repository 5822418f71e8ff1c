// A body of wasi:http 0.2, of a request or of an answer, read from the host's stream. A wait blocks the instance. One
// thread.
#pragma once

#include <string_view>

#include "core/base/failure.hpp"
#include "edge/http/p2/resources.hpp"
#include "edge/http/p2/timer.hpp"

namespace portail::edge {

class BodyStream {
 public:
  BodyStream() = default;
  BodyStream(const BodyStream&) = delete;
  BodyStream& operator=(const BodyStream&) = delete;
  ~BodyStream() { http2_list_u8_free(&chunk_); }

  // Takes ownership of `body`. Returns false if it has no stream.
  bool open(wasi_http_own_incoming_body_t body);
  [[nodiscard]] bool is_open() const { return static_cast<bool>(stream_); }
  // Returns the next chunk, valid until the next call; empty: the body has ended. Fails with Failure::body_incomplete,
  // or with Failure::body_late when the timer has ended.
  Result<std::string_view> next(Timer& timer);

 private:
  // In the order of creation: a stream ends before its body.
  IncomingBody body_;
  InputStream stream_;
  Pollable ready_;
  http2_list_u8_t chunk_{};
};

}  // namespace portail::edge
