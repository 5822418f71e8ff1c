// One request from its arrival to the last byte of its answer: a task of the component model. It lives on the heap from
// begin() on, the host keeps it in the task's context slot, and it ends itself.
#pragma once

#include <optional>

#include "core/base/frame_arena.hpp"
#include "edge/async/events.hpp"
#include "edge/http/instance.hpp"
#include "edge/http/p3/host_head.hpp"
#include "edge/http/p3/request_body.hpp"
#include "edge/http/p3/resources.hpp"
#include "edge/http/request_head.hpp"

namespace portail::edge {

class RequestTask final : private Events {
 public:
  // Both give what the task tells the host: that it waits, or that it is over.
  static http3_callback_code_t begin(IncomingRequest request);
  static http3_callback_code_t go_on(const http3_event_t& event);

 private:
  RequestTask(Instance& instance, IncomingRequest request);
  ~RequestTask() = default;

  // The host gave the request up before it had the answer.
  void cancel();
  // After anything happened.
  http3_callback_code_t state();

  Task<void> serve(Context& context);

  Instance& instance_;
  IncomingRequest incoming_;
  FrameArena frames_;
  Context context_;
  RequestHead<HostHead> head_;
  RequestBody body_{incoming_};
  Request request_;
  bool cancelled_ = false;
  // Last: it is destroyed first.
  std::optional<Task<void>> serving_;
};

}  // namespace portail::edge
