// The body of a request, read from the host's stream on demand. The stream is opened by the first read: a body that the
// core does not read costs nothing. One task.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/http/request.hpp"
#include "edge/async/events.hpp"
#include "edge/http/instance.hpp"
#include "edge/http/p3/future_writer.hpp"
#include "edge/http/p3/resources.hpp"

namespace portail::edge {

class RequestBody final : public ChunkSource {
 public:
  // The first call of next() releases `request` to the host.
  explicit RequestBody(IncomingRequest& request) : request_(request) {}

  Task<std::optional<std::string_view>> next(Context& context) override;
  // Closes an opened stream, and reports to the host whether the body was read. Must be called before the task ends.
  void close();

 private:
  void open();

  IncomingRequest& request_;
  bool ended_ = false;
  std::optional<DoneWriter> done_;
  ByteReader stream_;
  TrailersReader trailers_;
  std::vector<char> buffer_;
  Timer timer_{request_timeout_nanoseconds};
};

}  // namespace portail::edge
