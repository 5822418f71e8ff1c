// Serves the one request of an instance: the platform starts the module for each.
#include <cstdlib>
#include <utility>

#include "edge/fastly/answer.hpp"
#include "edge/fastly/request.hpp"
#include "edge/http/drained_body.hpp"
#include "edge/http/instance.hpp"

namespace portail::fastly {
namespace {

constexpr std::uint64_t abi_version = 1;

void serve() {
  Handle request_handle = 0;
  Handle body_handle = 0;
  // Without an answer, the platform would send 200.
  if (fastly_request_get(&request_handle, &body_handle) != Status::ok) std::abort();
  edge::Instance& instance = edge::Instance::current();
  FrameArena frames;
  Context context = instance.context(frames);
  auto head = RequestHead::read(request_handle);
  if (!head) std::abort();
  RequestBody body{HostBody(body_handle)};
  const Request request = head->with(body);
  OutgoingAnswer answer;
  // Calls of the host block, so coroutines never suspend.
  [[maybe_unused]] const auto answered = run_ready(serve_request(context, instance.handler(), request, answer));
  [[maybe_unused]] const auto drained = run_ready(edge::drain(context, request.body));
  instance.handler().after_answer(context);
}

}  // namespace
}  // namespace portail::fastly

int main() {
  portail::fastly::fastly_init(portail::fastly::abi_version);
  portail::fastly::serve();
}
