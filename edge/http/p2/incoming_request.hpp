// A request of wasi:http 0.2: its head and its body.
#pragma once

#include <optional>
#include <string_view>

#include "core/http/request.hpp"
#include "edge/http/instance.hpp"
#include "edge/http/p2/body_stream.hpp"
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

  // Reads the scheme from the host.
  [[nodiscard]] bool is_https() const;

  wasi_http_method_t method{};
  http2_string_t target{};  // empty if the request has none
  http2_list_tuple2_field_name_field_value_t fields{};

 private:
  const IncomingRequest& request_;
};

// The body of a request, read from the host's stream on demand. The stream is opened by the first read. A wait for the
// client blocks the instance, up to the request timeout.
class RequestBody final : public ChunkSource {
 public:
  // `request` outlives this.
  explicit RequestBody(const IncomingRequest& request) : request_(request) {}

  Task<std::optional<std::string_view>> next(Context& context) override;

 private:
  bool open();

  const IncomingRequest& request_;
  BodyStream stream_;
  Timer timer_{request_timeout_nanoseconds};
  bool ended_ = false;
};

}  // namespace portail::edge
