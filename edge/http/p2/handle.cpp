// The exported function of wasi:http/incoming-handler 0.2: one request from its arrival to the last byte of its answer.
// The host calls an instance again only when it is done, so waits block, and no coroutine is ever suspended.
#include <utility>

#include "edge/http/drained_body.hpp"
#include "edge/http/instance.hpp"
#include "edge/http/p2/host_head.hpp"
#include "edge/http/p2/outgoing_answer.hpp"
#include "edge/http/p2/request_body.hpp"
#include "edge/http/request_head.hpp"

namespace portail::edge {
namespace {

void serve(IncomingRequest incoming, ResponseOutparam out) {
  Instance& instance = Instance::current();
  instance.time_has_passed();
  FrameArena frames;
  Context context = instance.context(frames);
  const RequestHead<HostHead> head(incoming);
  RequestBody body(incoming);
  const Request request = head.with(body);
  OutgoingAnswer answer(std::move(out));
  [[maybe_unused]] const auto answered = run_ready(exchange(context, instance.handler(), request, answer));
  [[maybe_unused]] const auto drained = run_ready(drain(context, request.body));
}

}  // namespace
}  // namespace portail::edge

void exports_handler_handle(exports_handler_own_incoming_request_t request,
                            exports_handler_own_response_outparam_t response_out) {
  portail::edge::serve(portail::edge::IncomingRequest(request), portail::edge::ResponseOutparam(response_out));
}
