// A ByteStream for coroutines: where the peer keeps them waiting they suspend, and the thread that ran them is free for
// other connections. One thread at a time, not always the same.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "native/http/byte_stream.hpp"
#include "native/http/parking.hpp"

namespace portail {

class AwaitedStream {
 public:
  // The stream and the parking outlive this.
  AwaitedStream(ByteStream& stream, Parking& parking) : stream_(stream), parking_(parking) {}

  // Each fails with Failure::cancelled when the connection has ended, broke, or took longer than the deadline.
  // False: the peer does not speak TLS, and what is written now reaches it in clear.
  Task<bool> open(Context& context, Deadline deadline);
  // At least one byte into `into`, and how many.
  Task<std::size_t> read(Context& context, std::span<char> into, Deadline deadline);
  // Whether a read would give bytes without asking the socket.
  [[nodiscard]] bool has_pending() const { return stream_.has_pending(); }
  // All of `bytes`; a peer that takes none for `longest_stall` is too slow too.
  Task<void> write(Context& context, std::string_view bytes, Deadline deadline);
  void finish() { stream_.finish(); }

 private:
  static constexpr std::chrono::seconds longest_stall{30};

  Parking::Awaiter until(Stall stall, Deadline deadline);
  // A socket that has been shut for reading still gives what comes: a peer that never pauses would never be late.
  static bool may_wait(Stall stall, Deadline deadline);

  ByteStream& stream_;
  Parking& parking_;
  bool may_be_readable_ = true;  // not tried since the socket last was; spares a read that would find nothing
};

}  // namespace portail
