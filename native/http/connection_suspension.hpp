// The suspended coroutine of a connection, and the event that it waits for. One thread at a time.
#pragma once

#include <coroutine>
#include <cstdint>
#include <utility>

#include "native/http/byte_stream.hpp"

namespace portail {

// The thread that runs the connection resumes it after the event. If the deadline of a socket event passes, that thread
// shuts the socket's side down: the next read or write then returns StreamStatus::closed.
class ConnectionSuspension {
 public:
  enum class Event : std::uint8_t {
    readable,  // of the socket
    writable,  // of the socket
    wake,      // RequestSuspension::wake() (core/base/request_suspension.hpp)
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

}  // namespace portail
