// One request and its answer, where a host takes the answer piece by piece and frames it itself: the part that is the
// same whatever the host. What it lets a guest call is behind an AnswerWriter.
#pragma once

#include <string_view>

#include "core/http/handler.hpp"

namespace portail {

// Where an answer goes. Its calls come in this order: begin, write for each piece, then end or break_off.
class AnswerWriter {
 public:
  // The head, as it is to be sent: Content-Length is among the headers where the body is whole, for HEAD too, and none
  // that is the host's to say. `has_body`: bytes follow. `response` lives until the last call. False: the client is
  // gone.
  virtual Task<bool> begin(Context& context, const Response& response, bool has_body) = 0;
  // A piece worth a call of the host, never empty, which lives until the Task has ended. False: the client has stopped
  // reading.
  virtual Task<bool> write(Context& context, std::string_view piece) = 0;
  // That was all of it.
  virtual void end() = 0;
  // The rest is missing, and the client must be able to detect that.
  virtual void break_off() = 0;

 protected:
  ~AnswerWriter() = default;
};

// From the handler's answer to its last byte; where the handler fails, 500 without a body. Never fails, where `answer`
// does not. All that is given lives until the Task has ended; destroying it cancels the request, and calls nothing.
Task<void> exchange(Context& context, Handler& handler, const Request& request, AnswerWriter& answer);

}  // namespace portail
