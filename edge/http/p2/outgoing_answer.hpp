// An answer on its way through wasi:http 0.2. Waits for its reader block the instance, and end when that takes too
// long. Destroyed unfinished, it breaks the connection, so the client sees that bytes are missing.
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
  ResponseOutparam out_;
  // In the order of creation: a stream ends before its body.
  OutgoingBody body_;
  OutputStream stream_;
  Timer timer_{longest_answer_nanoseconds};
};

}  // namespace portail::edge
