// The body of a request, pulled from the host's stream as the core asks for it. Until then the request stays whole: a
// body that the core does not read costs nothing. One task.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/http/chunk_source.hpp"
#include "edge/async/events.hpp"
#include "edge/http/instance.hpp"
#include "edge/http/p3/promised.hpp"
#include "edge/http/p3/resources.hpp"

namespace portail::edge {

class RequestBody final : public ChunkSource {
 public:
  // `request` is the host's; taken at the first call of next.
  explicit RequestBody(IncomingRequest& request) : request_(request) {}

  Task<std::optional<std::string_view>> next(Context& context) override;
  // No more is wanted: tells the host so, where it was asked for something. Before the task ends.
  void close();

 private:
  void open();

  IncomingRequest& request_;
  bool ended_ = false;
  std::optional<PromisedDone> done_;
  ByteReader stream_;
  TrailersReader trailers_;
  std::vector<char> buffer_;
  Timer timer_{longest_request_nanoseconds};
};

}  // namespace portail::edge
