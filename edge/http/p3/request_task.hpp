// A task of the component model that handles one request. begin() allocates it, the host stores its address in the
// task's context slot, and it deletes itself when it has finished.
#pragma once

#include <optional>

#include "core/base/frame_arena.hpp"
#include "edge/async/events.hpp"
#include "edge/http/instance.hpp"
#include "edge/http/p3/incoming_request.hpp"
#include "edge/http/p3/resources.hpp"
#include "edge/http/request_head.hpp"

namespace portail::edge {

class RequestTask final : private Events {
 public:
  // Both return the task's callback code: it waits, yields or has finished.
  static http3_callback_code_t begin(IncomingRequest request);
  static http3_callback_code_t on_event(const http3_event_t& event);

 private:
  RequestTask(Instance& instance, IncomingRequest request);
  ~RequestTask() = default;

  // Called if the host cancels the request before its answer.
  void cancel();
  // Returns the code for the host, and deletes the task if it has finished.
  http3_callback_code_t callback_code();

  Task<void> serve(Context& context);

  Instance& instance_;
  IncomingRequest incoming_;
  FrameArena frames_;
  Context context_;
  RequestHead<IncomingHead> head_;
  RequestBody body_{incoming_};
  Request request_;
  bool cancelled_ = false;
  // The last member, as it must be destroyed first.
  std::optional<Task<void>> serving_;
};

}  // namespace portail::edge
