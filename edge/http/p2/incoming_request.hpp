// A request of wasi:http 0.2: its head and its body.
#pragma once

#include <optional>

#include "core/http/request.hpp"
#include "edge/http/instance.hpp"
#include "edge/http/p2/resources.hpp"
#include "edge/http/p2/timer.hpp"

namespace portail::edge {

// The head of a request, copied from the host. The scheme is read on demand. edge/http/request_head.hpp presents it to
// the core.
struct IncomingHead {
  // `request` outlives this.
  explicit IncomingHead(const IncomingRequest& request);
  IncomingHead(const IncomingHead&) = delete;
  IncomingHead& operator=(const IncomingHead&) = delete;
  ~IncomingHead();

  // The first call reads the scheme from the host, and must precede the first read of the body.
  [[nodiscard]] bool is_https() const;

  wasi_http_method_t method{};
  http2_string_t target{};  // empty if the request has none
  http2_list_tuple2_field_name_field_value_t fields{};

 private:
  const IncomingRequest& request_;
  mutable std::optional<bool> is_https_;
};

// The body of a request, read from the host's stream on demand. The stream is opened by the first read. A wait for the
// client blocks the instance, up to the request timeout.
class RequestBody final : public ChunkSource {
 public:
  // `request` outlives this.
  explicit RequestBody(const IncomingRequest& request) : request_(request) {}
  RequestBody(const RequestBody&) = delete;
  RequestBody& operator=(const RequestBody&) = delete;
  ~RequestBody() override { http2_list_u8_free(&chunk_); }

  Task<std::optional<std::string_view>> next(Context& context) override;

 private:
  bool open();
  // Reads the next chunk. Returns false if the body ended or failed.
  bool read();
  void free_chunk();

  const IncomingRequest& request_;
  // In the order of creation: a stream ends before its body.
  IncomingBody body_;
  InputStream stream_;
  Pollable ready_;
  Timer timer_{request_timeout_nanoseconds};
  http2_list_u8_t chunk_{};
  bool ended_ = false;
  std::optional<Failure> failure_;
};

}  // namespace portail::edge
