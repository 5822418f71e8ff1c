// HTTP on one connection: bytes to Request, the core's Response to bytes, until either side closes. A coroutine, which
// suspends in a ConnectionSuspension while it waits for its peer. One thread at a time, not always the same.
#pragma once

#include <atomic>
#include <chrono>
#include <optional>

#include "core/base/frame_arena.hpp"
#include "core/base/task.hpp"
#include "native/http/byte_stream.hpp"
#include "native/http/connection_reader.hpp"
#include "native/http/request_head.hpp"
#include "native/http/response_writer.hpp"
#include "native/server/address_range.hpp"
#include "native/server/admission.hpp"
#include "native/server/portal_handler.hpp"
#include "native/server/request_rates.hpp"
#include "native/server/unsent_answers.hpp"
#include "native/telemetry/access_log.hpp"
#include "native/telemetry/request_metrics.hpp"

namespace portail {
class SpanExport;
}  // namespace portail

namespace portail::server {

// The parts of the program that all connections share. Any thread; outlives the connections.
struct Host {
  const RequestHandler& handler;
  const Clock& clock;
  RandomSource& random;
  Log& log;
  AccessLog& access_log;
  RequestMetrics& metrics;
  TokenCache* token_cache = nullptr;
  AnswerCache* answer_cache = nullptr;
  RequestRates* rates = nullptr;
  StreamLimit* streams = nullptr;
  SpanExport* spans = nullptr;
  std::uint64_t body_bytes_per_timeout = 0;  // see RequestBody
};

// State that the server and one connection share. Outlives the connection.
struct ConnectionState {
  const std::atomic<bool>& draining;  // set by the server: close after the next answer
  const std::atomic<bool>& stopping;  // set by the server: accept no further request
  const std::atomic<bool>& ending;    // the same for this connection, also if its head is not complete
  std::atomic<bool>& idle;            // set by the connection: between two requests, so that closing it loses nothing
  const LoadShedding::Duration& queue_time;  // time that the connection waited for the worker that runs it
  LoadShedding& load;
};

// What is known of the peer before its first byte.
struct Peer {
  bool scheme_is_https = false;
  bool forwarding_trusted = false;
  std::optional<IpAddress> address = {};  // absent: its requests count for no address
  std::uint64_t flow_id = 0;              // flow_id_of() its flow (native/server/fair_queue.hpp)
};

class Connection {
 public:
  static constexpr std::chrono::seconds idle_timeout{15};
  static constexpr std::chrono::seconds handshake_timeout{10};

  // All references must outlive the connection. If `request_suspension` is null, requests can wait for their peer only.
  Connection(const Host& host, ByteStream& stream, ConnectionSuspension& suspension, Peer peer, ConnectionState state,
             RequestSuspension* request_suspension = nullptr);

  // Serves requests until the connection is closed. Call once. Fails if the peer has closed or timed out.
  Task<void> serve() { return serve(context_); }
  // Whether the last answer was sent completely. If not, the peer must be able to detect that.
  [[nodiscard]] bool is_answer_complete() const { return !is_writing_; }
  // Approximate memory, in bytes, of the answer that is being written.
  [[nodiscard]] std::size_t occupied() const { return writer_.occupied(); }
  // Returns the number of the request's client: of the caller behind a trusted proxy, else of the peer's address.
  [[nodiscard]] std::uint64_t client() const;

 private:
  // Returns a context whose frames are in `frames`.
  Context context_with(FrameArena& frames);
  Task<void> serve(Context& context);
  Task<void> await_request(Context& context);
  // Returns whether another request may follow.
  Task<bool> serve_request(Context& context);
  // Acquires the slot of a streamed answer. If the client has reached its limit, replaces `response` by a refusal and
  // returns true.
  bool refuse_stream(Context& context, const Request& request, Response& response);
  // Returns the answer that rejects the request under overload; nullopt: the request is handled.
  std::optional<Response> shed(Context& context, const Request& request, LoadShedding::Time now);
  Task<bool> answer(Context& context, Response response, const Request& request, RequestBody& body);
  // Sends an error answer and closes the connection.
  Task<void> refuse(Context& context, Response response);
  Task<void> write(Context& context, Response& response, const ResponseFraming& framing);
  // Closes the sending side, then reads until the peer has closed or a timeout, so that the peer can read the answer.
  Task<void> lingering_close(Context& context);

  const Host& host_;
  Peer peer_;
  ConnectionState state_;
  ConnectionSuspension& suspension_;
  FrameArena frames_{FrameArena::idle_connection_chunk_size};
  std::optional<PeerLimits> limits_;
  RequestSuspension* request_suspension_;
  Context context_;
  AsyncStream stream_;
  ConnectionReader reader_;
  ResponseWriter writer_;
  RequestHead head_;
  bool is_writing_ = false;
  std::optional<StreamLimit::Slot> stream_slot_;  // of the streamed answer
  HttpDate date_;
};

}  // namespace portail::server
