// Serves a request for a WebAssembly host that frames answers itself and accepts their bodies in pieces. An
// AnswerWriter wraps the calls of the host.
#pragma once

#include <string_view>

#include "core/http/response.hpp"

namespace portail {

// The output of an answer. The order of calls is: begin, write for each piece, then end or abort.
class AnswerWriter {
 public:
  // Sends the head. The headers include Content-Length if the length is known, for HEAD too, and exclude those that
  // hosts set. `has_body`: bytes follow. `response` lives until the last call. Returns false if the client has
  // disconnected.
  virtual Task<bool> begin(Context& context, const Response& response, bool has_body) = 0;
  // Sends a piece of the body, never empty, which lives until the Task has ended. Returns false if the client has
  // stopped reading.
  virtual Task<bool> write(Context& context, std::string_view piece) = 0;
  // Ends a complete answer.
  virtual void end() = 0;
  // Ends an incomplete answer, so that the client can detect it.
  virtual void abort() = 0;

 protected:
  ~AnswerWriter() = default;
};

// Passes the request to the handler and writes its answer; if the handler fails, 500 without a body. Fails only if
// `answer` fails. The arguments must live until the Task has ended. Destroying the Task cancels the request, and does
// not call `answer`.
Task<void> serve_request(Context& context, Handler& handler, const Request& request, AnswerWriter& answer);

}  // namespace portail
