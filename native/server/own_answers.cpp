#include "native/server/own_answers.hpp"

#include <array>

#include <sys/socket.h>
#include <unistd.h>

#include "core/crypto/hash.hpp"
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

// What the core adds to every answer of its own.
void add_common_headers(Response& response, RandomSource& random) {
  std::array<std::byte, 16> id;
  random.fill(id);
  response.summary.correlation_id = lower_hex(id);
  response.headers.push_back({"X-Content-Type-Options", "nosniff"});
  response.headers.push_back({"X-Correlation-Id", response.summary.correlation_id});
  response.headers.push_back({"Vary", "Authorization, Origin, Accept-Encoding, Accept-Language"});
}

}  // namespace

Response framing_answer(const Host& host, FramingError error, const Request& request) {
  Response response = framing_problem(static_cast<int>(error), preferred_language(request), message_of(error));
  add_common_headers(response, host.random);
  return response;
}

void turn_away(Descriptor socket, const Host& host, bool tls) {
  if (!tls) {
    Response response = unavailable_problem(Language::english, retry_after_seconds);
    add_common_headers(response, host.random);
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
