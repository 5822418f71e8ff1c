// An asynchronous import from its call until it returns. Destroying or closing a Subtask before that cancels the call;
// afterwards the host no longer accesses the call's arguments and result.
#pragma once

#include <cstdint>

#include "bindings/http3/http3.h"

namespace portail::edge {

using Waitable = std::uint32_t;  // the end of a stream or future, or a subtask

class Subtask {
 public:
  Subtask() = default;
  Subtask(const Subtask&) = delete;
  Subtask& operator=(const Subtask&) = delete;
  ~Subtask() { close(); }

  // Called once, with the return value of the generated function.
  void set_status(http3_subtask_status_t status) {
    handle_ = HTTP3_SUBTASK_HANDLE(status);
    on_event(HTTP3_SUBTASK_STATE(status));
  }
  // `state` is the code of an event of waitable().
  void on_event(std::uint32_t state) { returned_ = state == HTTP3_SUBTASK_RETURNED; }
  // Cancels the call if it has not returned, and drops the host's handle.
  void close() {
    if (handle_ == 0) return;
    if (!returned_) on_event(http3_subtask_cancel(handle_));
    http3_subtask_drop(handle_);
    handle_ = 0;
  }

  // 0 if the call returned immediately, or was not started.
  [[nodiscard]] Waitable waitable() const { return handle_; }
  [[nodiscard]] bool returned() const { return returned_; }

 private:
  http3_subtask_t handle_ = 0;
  bool returned_ = false;
};

}  // namespace portail::edge
