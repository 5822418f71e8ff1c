#include "native/server/error_answers.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include "core/http/problem.hpp"
#include "core/http/request.hpp"
#include "core/http/response.hpp"
#include "native/http/byte_stream.hpp"

namespace portail::server {
namespace {

constexpr int retry_after_seconds = 5;

Message message_of(FramingError error) {
  switch (error) {
    case FramingError::bad_request:
      break;
    case FramingError::head_too_large:
      return Message::headers_too_large;
    case FramingError::version_not_supported:
      return Message::version_not_supported;
  }
  return Message::malformed_request;
}

Response with_common_headers(Response response, RandomSource& random) {
  response.summary.correlation_id = new_correlation_id(random);
  add_common_headers(response, response.summary.correlation_id);
  return response;
}

}  // namespace

Response framing_error_answer(const Host& host, FramingError error, const Request& request) {
  return with_common_headers(framing_problem(static_cast<int>(error), preferred_language(request), message_of(error)),
                             host.random);
}

Response https_required_answer(const Host& host) {
  return with_common_headers(framing_problem(400, Language::english, Message::insecure_transport), host.random);
}

void reject_connection(Descriptor socket, const Host& host, bool tls) {
  if (!tls) {
    Response response = with_common_headers(unavailable_problem(Language::english, retry_after_seconds), host.random);
    FrameArena frames;
    Context context{.clock = host.clock, .random = host.random, .log = host.log, .frames = frames};
    SocketStream bytes(socket.number());
    ConnectionSuspension suspension;
    AsyncStream stream(bytes, suspension);
    HttpDate date;
    // If the peer's receive window is full, it sees only the end of the connection.
    [[maybe_unused]] const auto written = run_ready(
        ResponseWriter(stream).write(context, response, {.close = true, .date = date.format(host.clock.now())}));
    stream.finish();
  }
}

}  // namespace portail::server
