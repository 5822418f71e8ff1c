// A ByteStream for coroutines: where the peer keeps them waiting they suspend, and the thread that ran them is free for
// other connections. One thread at a time, not always the same.
#pragma once

#include <coroutine>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "native/http/byte_stream.hpp"

namespace portail {

// What a suspended connection waits for. Whoever runs the connection resumes it when the socket is as it should be, and
// ends the socket's side when the deadline passes: the read or write that follows then meets the end.
class Parking {
 public:
  [[nodiscard]] bool for_writing() const { return stall_ == Stall::until_writable; }
  [[nodiscard]] Deadline deadline() const { return deadline_; }
  [[nodiscard]] bool is_taken() const { return static_cast<bool>(coroutine_); }
  void resume() { std::exchange(coroutine_, nullptr).resume(); }

 private:
  friend class AwaitedStream;
  std::coroutine_handle<> coroutine_;
  Stall stall_{};
  Deadline deadline_;
};

class AwaitedStream {
 public:
  // The stream and the parking outlive this.
  AwaitedStream(ByteStream& stream, Parking& parking) : stream_(stream), parking_(parking) {}

  // Each fails with Failure::cancelled when the connection has ended, broke, or took longer than the deadline.
  // False: the peer does not speak TLS, and what is written now reaches it in clear.
  Task<bool> open(Context& context, Deadline deadline);
  // At least one byte into `into`, and how many.
  Task<std::size_t> read(Context& context, std::span<char> into, Deadline deadline);
  // All of `bytes`; a peer that takes none for `longest_stall` is too slow too.
  Task<void> write(Context& context, std::string_view bytes, Deadline deadline);
  void finish() { stream_.finish(); }

 private:
  static constexpr std::chrono::seconds longest_stall{30};

  struct Until {
    Parking& parking;
    bool await_ready() noexcept { return false; }
    void await_suspend(std::coroutine_handle<> coroutine) noexcept { parking.coroutine_ = coroutine; }
    void await_resume() noexcept {}
  };
  Until until(Stall stall, Deadline deadline);
  // A socket that has been shut for reading still gives what comes: a peer that never pauses would never be late.
  static bool may_wait(Stall stall, Deadline deadline);

  ByteStream& stream_;
  Parking& parking_;
  bool may_be_readable_ = true;  // nobody has tried since the socket last was; spares a read that would find nothing
};

}  // namespace portail
