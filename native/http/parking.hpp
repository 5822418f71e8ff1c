// Where the coroutine of a connection is while it is suspended, and what it waits for. One thread at a time.
#pragma once

#include <coroutine>
#include <cstdint>
#include <utility>

#include "native/http/byte_stream.hpp"

namespace portail {

// The thread that runs the connection resumes it when the awaited event has come. If a socket's deadline passes, that
// thread ends the socket's side: the read or write that follows then meets the end.
class Parking {
 public:
  enum class For : std::uint8_t {
    reading,
    writing,
    wake,  // another thread says when it goes on (core/base/waiting_place.hpp)
    turn,  // nothing: it lets others go first
  };

  struct Awaiter {
    Parking& parking;
    For what;
    Deadline deadline;
    bool await_ready() noexcept { return false; }
    void await_suspend(std::coroutine_handle<> coroutine) noexcept { parking.park(coroutine, what, deadline); }
    void await_resume() noexcept {}
  };
  [[nodiscard]] Awaiter until(For what, Deadline deadline) { return {*this, what, deadline}; }

  void park(std::coroutine_handle<> coroutine, For what, Deadline deadline) {
    coroutine_ = coroutine;
    what_ = what;
    deadline_ = deadline;
  }
  [[nodiscard]] bool is_taken() const { return static_cast<bool>(coroutine_); }
  [[nodiscard]] For what() const { return what_; }
  [[nodiscard]] Deadline deadline() const { return deadline_; }
  void resume() { std::exchange(coroutine_, nullptr).resume(); }

 private:
  std::coroutine_handle<> coroutine_;
  For what_ = For::reading;
  Deadline deadline_;
};

}  // namespace portail
