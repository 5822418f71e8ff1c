// An answer on its way through wasi:http 0.3. Made and destroyed within the request's task; destroyed unfinished, it
// tells the host that bytes are missing. The response is returned to the host when the write of its first bytes is in
// flight: a host that flushes a head alone, without TCP_NODELAY, sends the body after the client's delayed
// acknowledgement, 40 ms later.
#pragma once

#include <optional>

#include "core/guest/exchange.hpp"
#include "edge/async/events.hpp"
#include "edge/http/instance.hpp"
#include "edge/http/p3/promised.hpp"
#include "edge/http/p3/resources.hpp"

namespace portail::edge {

class OutgoingAnswer final : public AnswerWriter {
 public:
  Task<bool> begin(Context& context, const Response& response, bool has_body) override;
  Task<bool> write(Context& context, std::string_view piece) override;
  void end() override;
  void break_off() override;

 private:
  // To the host, once.
  void return_response();

  // In the order of creation: the stream ends before its trailers.
  std::optional<PromisedTrailers> trailers_;
  ByteWriter stream_;
  OutgoingResponse response_;  // until it is returned
  Timer timer_{longest_answer_nanoseconds};
};

}  // namespace portail::edge
