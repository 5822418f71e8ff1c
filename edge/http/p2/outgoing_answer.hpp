// Sends an answer by wasi:http 0.2. Waits for the reader block the instance, up to the response timeout. Destroying an
// unfinished answer aborts the connection, so the client detects the missing bytes.
//
// The response is passed to the host only after the stream has accepted as many bytes as it can without a wait. A host
// that flushes a head alone, without TCP_NODELAY, would send the body after the client's delayed acknowledgement, 40 ms
// later.
#pragma once

#include <utility>

#include "core/webassembly/serve_request.hpp"
#include "edge/http/instance.hpp"
#include "edge/http/p2/resources.hpp"
#include "edge/http/p2/timer.hpp"

namespace portail::edge {

class OutgoingAnswer final : public AnswerWriter {
 public:
  // The response is set at `out`.
  explicit OutgoingAnswer(ResponseOutparam out) : out_(std::move(out)) {}

  Task<bool> begin(Context& context, const Response& response, bool has_body) override;
  Task<bool> write(Context& context, std::string_view piece) override;
  void end() override;
  void abort() override;

 private:
  // Passes the response to the host. Later calls do nothing.
  void set_response();

  ResponseOutparam out_;
  // In the order of creation: a stream ends before its body.
  OutgoingResponse response_;  // until it is set
  OutgoingBody body_;
  OutputStream stream_;
  Timer timer_{response_timeout_nanoseconds};
};

}  // namespace portail::edge
