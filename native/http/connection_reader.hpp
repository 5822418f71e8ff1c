// Reads heads and bodies from one connection, in order, with pipelining. One thread at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <expected>
#include <span>
#include <string_view>
#include <vector>

#include "native/http/byte_stream.hpp"
#include "native/http/request_head.hpp"

namespace portail {

// Calls that wait fail with Failure::cancelled if the peer has closed or timed out.
class ConnectionReader {
 public:
  static constexpr std::chrono::seconds head_timeout{10};

  // The stream must outlive the reader.
  explicit ConnectionReader(AsyncStream& stream) : stream_(stream) {}

  // Whether received bytes are not consumed yet.
  [[nodiscard]] bool has_unread() const {
    return head_buffer_.next < head_buffer_.end || body_buffer_.next < body_buffer_.end || stream_.has_pending();
  }
  // Waits for the first bytes of a request.
  Task<void> await_request(Context& context, Deadline deadline);
  // Reads the rest of the head within head_timeout. The views in `head` are valid until the next call.
  Task<std::expected<void, FramingError>> read_head(Context& context, RequestHead& head);

  // Consumes up to `limit` received bytes after the head; the view is valid until the next receive().
  std::string_view consume(std::size_t limit);
  // Receives more bytes, after consume() has returned all.
  Task<void> receive(Context& context, Deadline deadline);

  // Reads and discards until the peer has closed or the deadline passes. Closing a socket with unread bytes would reset
  // the connection before the peer has read the answer (RFC 9112 section 9.6).
  Task<void> discard_until(Context& context, Deadline deadline);

 private:
  static constexpr std::size_t initial_buffer_size = 4 * 1024;
  static constexpr std::size_t max_read_size = 16 * 1024;

  // [next, end) has the bytes that are received but not consumed.
  struct Buffer {
    std::vector<char> bytes;
    std::size_t next = 0;
    std::size_t end = 0;
    [[nodiscard]] std::string_view unread() const { return {bytes.data() + next, end - next}; }
  };
  std::span<char> head_space();

  AsyncStream& stream_;
  Buffer head_buffer_;  // moves its bytes only during read_head(), because heads are views of it
  Buffer body_buffer_;  // bytes received after the head; used after head_buffer_ is consumed
};

}  // namespace portail
