// The body of a request, pulled from the host's stream as the core asks for it; until then nothing is asked of the
// host. A wait for the client blocks the instance, and ends when the request has taken too long.
#pragma once

#include "core/http/chunk_source.hpp"
#include "edge/http/instance.hpp"
#include "edge/http/p2/resources.hpp"
#include "edge/http/p2/waiting.hpp"

namespace portail::edge {

class RequestBody final : public ChunkSource {
 public:
  // `request` is the host's, and outlives this.
  explicit RequestBody(const IncomingRequest& request) : request_(request) {}
  RequestBody(const RequestBody&) = delete;
  RequestBody& operator=(const RequestBody&) = delete;
  ~RequestBody() override { http2_list_u8_free(&chunk_); }

  Task<std::optional<std::string_view>> next(Context& context) override;

 private:
  bool open();
  // False: the body ended, or failed.
  bool read();
  void forget_chunk();

  const IncomingRequest& request_;
  // In the order of creation: a stream ends before its body.
  IncomingBody body_;
  InputStream stream_;
  Pollable ready_;
  Timer timer_{longest_request_nanoseconds};
  http2_list_u8_t chunk_{};
  bool ended_ = false;
  bool failed_ = false;
};

}  // namespace portail::edge
