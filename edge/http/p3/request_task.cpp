#include "edge/http/p3/request_task.hpp"

#include <utility>

#include "edge/http/drained_body.hpp"
#include "edge/http/p3/outgoing_answer.hpp"

namespace portail::edge {

RequestTask::RequestTask(Instance& instance, IncomingRequest request)
    : instance_(instance),
      incoming_(std::move(request)),
      context_(instance.context(frames_)),
      head_(incoming_),
      request_(head_.with(body_)) {}

http3_callback_code_t RequestTask::begin(IncomingRequest request) {
  Instance& instance = Instance::current();
  instance.invalidate_time();
  auto* task = new RequestTask(instance, std::move(request));
  task->make_current();
  task->serving_.emplace(task->serve(task->context_));
  task->serving_->start([](void*) {}, nullptr);
  return task->callback_code();
}

http3_callback_code_t RequestTask::on_event(const http3_event_t& event) {
  auto& task = static_cast<RequestTask&>(Events::current());
  task.instance_.invalidate_time();
  if (event.event == HTTP3_EVENT_CANCEL) {
    task.cancel();
  } else {
    task.dispatch(event);
  }
  return task.callback_code();
}

void RequestTask::cancel() {
  cancelled_ = true;
  serving_.reset();
}

http3_callback_code_t RequestTask::callback_code() {
  if ((serving_ && !serving_->done()) || has_listeners()) return wait_code();
  // Destroying the coroutine and closing the body may write futures, which the task must wait for.
  serving_.reset();
  body_.close();
  if (has_listeners() || Ticker::current().is_owned_by(*this)) return wait_code();
  if (cancelled_) http3_task_cancel();
  delete this;
  return HTTP3_CALLBACK_CODE_EXIT;
}

Task<void> RequestTask::serve(Context& context) {
  OutgoingAnswer answer;
  co_await serve_request(context, instance_.handler(), request_, answer);
  co_await drain(context, request_.body);
  instance_.handler().after_answer(context);
}

}  // namespace portail::edge

http3_callback_code_t exports_handler_handle(exports_handler_own_request_t request) {
  return portail::edge::RequestTask::begin(portail::edge::IncomingRequest(request));
}

http3_callback_code_t exports_handler_handle_callback(http3_event_t* event) {
  return portail::edge::RequestTask::on_event(*event);
}
