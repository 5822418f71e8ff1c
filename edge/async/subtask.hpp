// An asynchronous import under way, from its call until it has returned. One that is destroyed, or ended, before that
// is cancelled, and afterwards the host does not touch any more what it was called with.
#pragma once

#include <cstdint>

#include "edge/bindings/http3/http3.h"

namespace portail::edge {

using Waitable = std::uint32_t;  // a stream's or future's end, or a subtask

class Subtask {
 public:
  Subtask() = default;
  Subtask(const Subtask&) = delete;
  Subtask& operator=(const Subtask&) = delete;
  ~Subtask() { end(); }

  // Said once, with what the generated function has returned.
  void began(http3_subtask_status_t status) {
    handle_ = HTTP3_SUBTASK_HANDLE(status);
    take(HTTP3_SUBTASK_STATE(status));
  }
  // The code of an event of waitable().
  void take(std::uint32_t state) { returned_ = state == HTTP3_SUBTASK_RETURNED; }
  void end() {
    if (handle_ == 0) return;
    if (!returned_) take(http3_subtask_cancel(handle_));
    http3_subtask_drop(handle_);
    handle_ = 0;
  }

  // 0 where the call returned at once, or has not begun.
  [[nodiscard]] Waitable waitable() const { return handle_; }
  [[nodiscard]] bool returned() const { return returned_; }

 private:
  http3_subtask_t handle_ = 0;
  bool returned_ = false;
};

}  // namespace portail::edge
