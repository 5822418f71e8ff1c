// Sends an answer by wasi:http 0.3. Created and destroyed within the request's task. Destroying an unfinished answer
// reports to the host that bytes are missing.
//
// The response is returned to the host only when the write of its first bytes is in flight. A host that flushes a head
// alone, without TCP_NODELAY, would send the body after the client's delayed acknowledgement, 40 ms later.
#pragma once

#include <optional>

#include "core/webassembly/serve_request.hpp"
#include "edge/async/events.hpp"
#include "edge/http/instance.hpp"
#include "edge/http/p3/resources.hpp"
#include "edge/http/p3/streams.hpp"

namespace portail::edge {

class OutgoingAnswer final : public AnswerWriter {
 public:
  Task<bool> begin(Context& context, const Response& response, bool has_body) override;
  Task<bool> write(Context& context, std::string_view piece) override;
  void end() override;
  void abort() override;

 private:
  // Returns the response to the host. Later calls do nothing.
  void return_response();

  // In the order of creation: the stream ends before its trailers.
  std::optional<TrailersWriter> trailers_;
  ByteWriter stream_;
  OutgoingResponse response_;  // until it is returned
  Timer timer_{response_timeout_nanoseconds};
};

}  // namespace portail::edge
