#include "native/server/own_answers.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include "core/http/common_headers.hpp"
#include "core/http/correlation.hpp"
#include "core/http/problem.hpp"
#include "native/http/socket_stream.hpp"

namespace portail {
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

Response named(Response response, RandomSource& random) {
  response.summary.correlation_id = new_correlation_id(random);
  add_common_headers(response, response.summary.correlation_id);
  return response;
}

}  // namespace

Response framing_answer(const Host& host, FramingError error, const Request& request) {
  return named(framing_problem(static_cast<int>(error), preferred_language(request), message_of(error)), host.random);
}

Response https_expected_answer(const Host& host) {
  return named(framing_problem(400, Language::english, Message::insecure_transport), host.random);
}

void turn_away(Descriptor socket, const Host& host, bool tls) {
  if (!tls) {
    Response response = named(unavailable_problem(Language::english, retry_after_seconds), host.random);
    FrameArena frames;
    Context context{.clock = host.clock, .random = host.random, .log = host.log, .frames = frames};
    SocketStream bytes(socket.number());
    Parking parking;
    AwaitedStream stream(bytes, parking);
    HttpDate date;
    // A peer that does not take the answer at once gets the end alone.
    [[maybe_unused]] const auto written =
        run_ready(ResponseWriter(stream).write(context, response, {.close = true, .date = date.at(host.clock.now())}));
    stream.finish();
  }
}

}  // namespace portail
