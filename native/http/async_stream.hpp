// A ByteStream for coroutines: a call that must wait for the peer suspends its coroutine. One thread at a time, not
// always the same.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "native/http/byte_stream.hpp"
#include "native/http/connection_suspension.hpp"

namespace portail {

class AsyncStream {
 public:
  // Both references must outlive this.
  AsyncStream(ByteStream& stream, ConnectionSuspension& suspension) : stream_(stream), suspension_(suspension) {}

  // All calls that wait fail with Failure::cancelled if the connection is closed, has failed, or the deadline has
  // passed. open() returns false if the peer sends HTTP without TLS; then write() sends without TLS, too.
  Task<bool> open(Context& context, Deadline deadline);
  // Reads at least one byte into `into`; returns the number of bytes.
  Task<std::size_t> read(Context& context, std::span<char> into, Deadline deadline);
  // Whether bytes can be read without a system call.
  [[nodiscard]] bool has_pending() const { return stream_.has_pending(); }
  // Writes all of `bytes`. Also fails if the peer receives nothing for `write_stall_timeout`.
  Task<void> write(Context& context, std::string_view bytes, Deadline deadline);
  void finish() { stream_.finish(); }

 private:
  static constexpr std::chrono::seconds write_stall_timeout{30};

  ConnectionSuspension::Awaiter wait_for(StreamStatus status, Deadline deadline);
  // Whether to wait after `status`. A socket that is shut down for reading still returns bytes that arrive. So this
  // also checks the deadline, which a peer that never pauses would evade.
  static bool can_wait(StreamStatus status, Deadline deadline);

  ByteStream& stream_;
  ConnectionSuspension& suspension_;
  bool may_be_readable_ =
      true;  // false after a read, until the socket becomes readable again: saves reads that would return nothing
};

}  // namespace portail
