// The way of a request through the native host: bytes to Request, the core's Response to bytes, again and again until
// one side has enough. Translates, and decides nothing. A coroutine: where it waits for its peer it suspends, and says
// so in its Parking. One thread at a time, not always the same.
#pragma once

#include <atomic>
#include <chrono>
#include <optional>

#include "core/base/frame_arena.hpp"
#include "core/base/task.hpp"
#include "native/host/access_log.hpp"
#include "native/http/awaited_stream.hpp"
#include "native/http/connection_reader.hpp"
#include "native/http/http_date.hpp"
#include "native/http/request_head.hpp"
#include "native/http/response_writer.hpp"
#include "native/metrics/request_metrics.hpp"
#include "native/server/address_range.hpp"
#include "native/server/load_shedding.hpp"
#include "native/server/request_handler.hpp"
#include "native/server/request_rates.hpp"
#include "native/server/stream_limit.hpp"

namespace portail {

class RequestBody;
class SpanExport;

// What every connection shares. Any thread; outlives the connections.
struct Host {
  const RequestHandler& handler;
  const Clock& clock;
  RandomSource& random;
  Log& log;
  AccessLog& access_log;
  RequestMetrics& metrics;
  TokenCache* token_cache = nullptr;
  AnswerMemory* answers = nullptr;
  RequestRates* rates = nullptr;
  StreamLimit* streams = nullptr;
  SpanExport* spans = nullptr;
};

// What the server tells its connections, and they tell it, while they run.
struct ConnectionState {
  const std::atomic<bool>& draining;     // every answer is the connection's last
  const std::atomic<bool>& stopping;     // no new request is waited for
  std::atomic<bool>& idle;               // between two requests: nothing is lost when the server ends it
  const LoadShedding::Duration& waited;  // for the worker that runs the connection now
  LoadShedding& load;
};

// What is known of the peer before it says anything.
struct Peer {
  bool scheme_is_https = false;
  bool forwarding_trusted = false;
  std::optional<IpAddress> address = {};  // nothing: its requests count for no address
  std::uint64_t claimant = 0;             // its number (native/server/fair_queue.hpp)
};

class Connection {
 public:
  static constexpr std::chrono::seconds longest_idle_time{15};
  static constexpr std::chrono::seconds longest_handshake_time{10};

  // All that it refers to outlives the connection. `place` is null where requests wait for their peer only.
  Connection(const Host& host, ByteStream& stream, Parking& parking, Peer peer, ConnectionState state,
             WaitingPlace* place = nullptr);

  // Serves requests until the connection is to end; once. A failure: the peer is gone, or was too slow.
  Task<void> serve() { return serve(context_); }
  // Whether the last answer was sent whole; where not, the peer must see that.
  [[nodiscard]] bool answers_are_whole() const { return !answering_; }
  // Bytes of memory that the answer which is being written occupies, about.
  [[nodiscard]] std::size_t occupied() const { return writer_.occupied(); }
  // The client that the request is of, as a number: the peer's address, or the caller behind a trusted proxy.
  [[nodiscard]] std::uint64_t client() const;

 private:
  // With frames in that arena.
  Context context_with(FrameArena& frames);
  Task<void> serve(Context& context);
  Task<void> await_request(Context& context);
  // Whether another request may follow.
  Task<bool> serve_one(Context& context);
  // Acquires the slot of an answer that is streamed. True: its client has as many of these under way as it may, and the
  // answer has become a refusal.
  bool refuse_stream(Context& context, const Request& request, Response& response);
  // The answer to a request that the server has no room for; nullopt: it is handled.
  std::optional<Response> shed(Context& context, const Request& request, LoadShedding::Time now);
  Task<bool> answer(Context& context, Response response, const Request& request, RequestBody& body);
  // Answers what is no request, and ends the connection.
  Task<void> refuse(Context& context, Response response);
  Task<void> write(Context& context, Response& response, const ResponseFraming& framing);
  // Ends our side and lets the peer read what we wrote, although it may still be sending.
  Task<void> close_gently(Context& context);

  const Host& host_;
  Peer peer_;
  ConnectionState state_;
  Parking& parking_;
  FrameArena frames_{FrameArena::of_a_waiting_connection};
  std::optional<PeerLimits> limits_;
  WaitingPlace* place_;
  Context context_;
  AwaitedStream stream_;
  ConnectionReader reader_;
  ResponseWriter writer_;
  RequestHead head_;
  bool answering_ = false;
  std::optional<StreamLimit::Slot> slot_;  // of the answer that is being streamed
  HttpDate date_;
};

}  // namespace portail
