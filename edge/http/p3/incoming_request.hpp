// A request of wasi:http 0.3: its head and its body.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/http/request.hpp"
#include "edge/async/events.hpp"
#include "edge/http/instance.hpp"
#include "edge/http/p3/resources.hpp"
#include "edge/http/p3/streams.hpp"

namespace portail::edge {

// The head of a request, copied from the host. The scheme is read on demand. edge/http/request_head.hpp presents it to
// the core.
struct IncomingHead {
  // `request` outlives this.
  explicit IncomingHead(const IncomingRequest& request);
  IncomingHead(const IncomingHead&) = delete;
  IncomingHead& operator=(const IncomingHead&) = delete;
  ~IncomingHead();

  // Reads the scheme from the host. Must precede the first read of the body, which releases the request.
  [[nodiscard]] bool is_https() const;

  wasi_http_method_t method{};
  http3_string_t target{};  // empty if the request has none
  http3_list_tuple2_field_name_field_value_t fields{};

 private:
  const IncomingRequest& request_;
};

// The body of a request, read from the host's stream on demand. The stream is opened by the first read: a body that the
// core does not read costs nothing. One task.
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
