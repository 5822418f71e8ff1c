// The bytes of one connection: what they come from, and how a coroutine waits for them.
#pragma once

#include <chrono>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string_view>
#include <utility>

#include "core/base/context.hpp"
#include "core/base/task.hpp"

namespace portail {

// One accepted connection as a stream of bytes: a TCP socket, with or without TLS. No call blocks: it returns what it
// must wait for. One thread at a time.

using Deadline = std::chrono::steady_clock::time_point;

// Why a call transferred no bytes.
enum class StreamStatus : std::uint8_t {
  closed,      // the peer closed its side, or the connection failed; final
  want_read,   // the socket must become readable first
  want_write,  // the socket must become writable first
  plain_http,  // of open() only: the peer sends HTTP without TLS; the answer can be written without TLS
};

class ByteStream {
 public:
  virtual ~ByteStream() = default;

  // Does the TLS handshake, if any. Repeat until it succeeds; other calls come after it.
  virtual std::expected<void, StreamStatus> open() { return {}; }
  // Reads at least one byte into `into`; returns the number of bytes.
  virtual std::expected<std::size_t, StreamStatus> read(std::span<char> into) = 0;
  // Whether bytes are buffered, so that read() returns some before the socket is readable again.
  [[nodiscard]] virtual bool has_pending() const { return false; }
  // Writes at least one of `bytes`; returns the number of bytes.
  virtual std::expected<std::size_t, StreamStatus> write(std::string_view bytes) = 0;
  // Ends the writing side: the peer reads the end after all bytes.
  virtual void finish() = 0;
};

// The suspended coroutine of a connection, and the event that it waits for. One thread at a time.

// The thread that runs the connection resumes it after the event. If the deadline of a socket event passes, that thread
// shuts the socket's side down: the next read or write then returns StreamStatus::closed.
class ConnectionSuspension {
 public:
  enum class Event : std::uint8_t {
    readable,  // of the socket
    writable,  // of the socket
    wake,      // RequestSuspension::wake() (core/base/context.hpp)
    yield,     // none: other connections run first
  };

  struct Awaiter {
    ConnectionSuspension& suspension;
    Event event;
    Deadline deadline;
    bool await_ready() noexcept { return false; }
    void await_suspend(std::coroutine_handle<> coroutine) noexcept { suspension.suspend(coroutine, event, deadline); }
    void await_resume() noexcept {}
  };
  [[nodiscard]] Awaiter wait_for(Event event, Deadline deadline) { return {*this, event, deadline}; }

  void suspend(std::coroutine_handle<> coroutine, Event event, Deadline deadline) {
    coroutine_ = coroutine;
    event_ = event;
    deadline_ = deadline;
  }
  [[nodiscard]] bool is_suspended() const { return static_cast<bool>(coroutine_); }
  [[nodiscard]] Event event() const { return event_; }
  [[nodiscard]] Deadline deadline() const { return deadline_; }
  void resume() { std::exchange(coroutine_, nullptr).resume(); }

 private:
  std::coroutine_handle<> coroutine_;
  Event event_ = Event::readable;
  Deadline deadline_;
};

// A ByteStream for coroutines: a call that must wait for the peer suspends its coroutine. One thread at a time, not
// always the same.

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

// ByteStream over a connected, non-blocking TCP socket without TLS. Does not own the socket.

class SocketStream final : public ByteStream {
 public:
  explicit SocketStream(int socket) : socket_(socket) {}

  std::expected<std::size_t, StreamStatus> read(std::span<char> into) override;
  std::expected<std::size_t, StreamStatus> write(std::string_view bytes) override;
  void finish() override;

 private:
  int socket_;
};

}  // namespace portail
