// The exported function of wasi:http/incoming-handler 0.2, which handles one request. The host calls an instance again
// only after it has returned, so waits block and coroutines never suspend.
#include <utility>

#include "edge/http/drained_body.hpp"
#include "edge/http/instance.hpp"
#include "edge/http/p2/incoming_request.hpp"
#include "edge/http/p2/outgoing_answer.hpp"
#include "edge/http/request_head.hpp"

namespace portail::edge {
namespace {

void serve(IncomingRequest incoming, ResponseOutparam out) {
  Instance& instance = Instance::current();
  instance.invalidate_time();
  FrameArena frames;
  Context context = instance.context(frames);
  const RequestHead<IncomingHead> head(incoming);
  RequestBody body(incoming);
  const Request request = head.with(body);
  OutgoingAnswer answer(std::move(out));
  [[maybe_unused]] const auto answered = run_ready(serve_request(context, instance.handler(), request, answer));
  [[maybe_unused]] const auto drained = run_ready(drain(context, request.body));
  instance.handler().after_answer(context);
}

}  // namespace
}  // namespace portail::edge

void exports_handler_handle(exports_handler_own_incoming_request_t request,
                            exports_handler_own_response_outparam_t response_out) {
  portail::edge::serve(portail::edge::IncomingRequest(request), portail::edge::ResponseOutparam(response_out));
}
