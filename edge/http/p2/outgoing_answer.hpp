// An answer on its way through wasi:http 0.2. Waits for its reader block the instance, and end when that takes too
// long. Destroyed unfinished, it breaks the connection, so the client sees that bytes are missing. The host gets the
// response when it has as many of its first bytes as its stream takes without a wait: a host that flushes a head alone,
// without TCP_NODELAY, sends the body after the client's delayed acknowledgement, 40 ms later.
#pragma once

#include <utility>

#include "core/guest/exchange.hpp"
#include "edge/http/instance.hpp"
#include "edge/http/p2/resources.hpp"
#include "edge/http/p2/waiting.hpp"

namespace portail::edge {

class OutgoingAnswer final : public AnswerWriter {
 public:
  // `out` is where the host takes its head.
  explicit OutgoingAnswer(ResponseOutparam out) : out_(std::move(out)) {}

  Task<bool> begin(Context& context, const Response& response, bool has_body) override;
  Task<bool> write(Context& context, std::string_view piece) override;
  void end() override;
  void break_off() override;

 private:
  // To the host, once.
  void set_response();

  ResponseOutparam out_;
  // In the order of creation: a stream ends before its body.
  OutgoingResponse response_;  // until it is set
  OutgoingBody body_;
  OutputStream stream_;
  Timer timer_{longest_answer_nanoseconds};
};

}  // namespace portail::edge
