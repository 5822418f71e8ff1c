// One request of wasi:http 0.2 and its answer: head, body, outgoing answer.
#pragma once

#include <optional>
#include <utility>

#include "bindings/http2/http2.h"
#include "core/http/response.hpp"
#include "core/webassembly/serve_request.hpp"
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

// Sends an answer by wasi:http 0.2. Waits for the reader block the instance, up to the response timeout. Destroying an
// unfinished answer aborts the connection, so the client detects the missing bytes.
//
// The response is passed to the host only after the stream has accepted as many bytes as it can without a wait. A host
// that flushes a head alone, without TCP_NODELAY, would send the body after the client's delayed acknowledgement, 40 ms
// later.

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
