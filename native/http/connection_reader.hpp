// The bytes of one connection in the order they came: heads, bodies, and what was sent ahead (pipelining). One thread
// at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <expected>
#include <span>
#include <string_view>
#include <vector>

#include "native/http/awaited_stream.hpp"
#include "native/http/request_head.hpp"

namespace portail {

// Everything that waits fails with Failure::cancelled where the peer has gone or was too slow.
class ConnectionReader {
 public:
  static constexpr std::chrono::seconds longest_head_time{10};

  // The stream outlives the reader.
  explicit ConnectionReader(AwaitedStream& stream) : stream_(stream) {}

  // Whether bytes were received that the connection has not consumed yet.
  [[nodiscard]] bool has_unread() const {
    return head_.next < head_.end || rest_.next < rest_.end || stream_.has_pending();
  }
  // Waits for the first bytes of a request.
  Task<void> await_request(Context& context, Deadline deadline);
  // Reads the head of the request that has begun, all of it within longest_head_time; it lives until the next call.
  Task<std::expected<void, FramingError>> read_head(Context& context, RequestHead& head);

  // Up to `limit` of the bytes that follow the head, as far as they have been received; valid until the next receive().
  std::string_view take(std::size_t limit);
  // Waits for more of them, when take() has given all.
  Task<void> receive(Context& context, Deadline deadline);

  // Reads away whatever the peer still sends until it ends or the deadline passes, so that it gets to read our answer:
  // a socket that is closed with unread bytes takes what was sent with it (RFC 9112 section 9.6).
  Task<void> discard_until(Context& context, Deadline deadline);

 private:
  static constexpr std::size_t initial_size = 4 * 1024;
  static constexpr std::size_t largest_read = 16 * 1024;

  // What was received and not yet used stands in [next, end).
  struct Buffer {
    std::vector<char> bytes;
    std::size_t next = 0;
    std::size_t end = 0;
    [[nodiscard]] std::string_view unread() const { return {bytes.data() + next, end - next}; }
  };
  std::span<char> room_for_head();

  AwaitedStream& stream_;
  Buffer head_;  // its bytes move only while a head is being read: heads are views of it
  Buffer rest_;  // for what is received after the head; used once head_ is used up
};

}  // namespace portail
