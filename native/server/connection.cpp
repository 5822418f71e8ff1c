#include "native/server/connection.hpp"

#include <chrono>
#include <utility>

#include "native/http/trace_context.hpp"
#include "native/server/error_answers.hpp"
#include "native/telemetry/span_export.hpp"

namespace portail::server {
namespace {

using std::chrono::steady_clock;

constexpr std::int64_t request_timeout_microseconds = 30'000'000;
constexpr std::chrono::milliseconds last_request_timeout{250};
constexpr std::chrono::seconds linger_timeout{1};
constexpr int too_many_requests = 429;

ContentCoding coding_for(const Request& request, const Response& response) {
  const auto* whole = std::get_if<std::string>(&response.body);
  if (whole && whole->size() < min_compressed_size) return ContentCoding::identity;
  return is_compressible(response) ? preferred_coding(request) : ContentCoding::identity;
}

// Returns the span of a request: if spans are exported, every request has one.
std::optional<RequestSpan> request_span(const Host& host, const Request& request) {
  auto span = child_span(request, host.random);
  return span || !host.spans ? span : root_span(host.random);
}

std::optional<PeerLimits> limits_of(const Host& host, const Peer& peer) {
  if (!host.rates) return std::nullopt;
  return PeerLimits(*host.rates, peer.address);
}

}  // namespace

Connection::Connection(const Host& host, ByteStream& stream, ConnectionSuspension& suspension, Peer peer,
                       ConnectionState state, RequestSuspension* request_suspension)
    : host_(host),
      peer_(peer),
      state_(state),
      suspension_(suspension),
      limits_(limits_of(host, peer)),
      request_suspension_(request_suspension),
      context_(context_with(frames_)),
      stream_(stream, suspension),
      reader_(stream_),
      writer_(stream_) {}

Context Connection::context_with(FrameArena& frames) {
  return {.clock = host_.clock,
          .random = host_.random,
          .log = host_.log,
          .frames = frames,
          .token_cache = host_.token_cache,
          .answer_cache = host_.answer_cache,
          .suspension = request_suspension_,
          .limits = limits_ ? &*limits_ : nullptr};
}

std::uint64_t Connection::client() const {
  return limits_ && limits_->caller() != 0 ? limits_->caller() : peer_.flow_id;
}

Task<void> Connection::serve(Context& context) {
  bool keep_alive = co_await stream_.open(context, steady_clock::now() + handshake_timeout);
  if (!keep_alive) co_await refuse(context, https_required_answer(host_));
  while (keep_alive) {
    keep_alive = co_await serve_request(context);
    // A client that pipelines requests gets one answer in each turn, as other clients do.
    if (keep_alive && reader_.has_unread())
      co_await suspension_.wait_for(ConnectionSuspension::Event::yield, Deadline::max());
  }
}

Task<void> Connection::await_request(Context& context) {
  state_.idle = true;
  // The server sets `stopping` or `ending` before it reads `idle`; this sets `idle` before it reads them. So at least
  // one of the two sees the other's change.
  const std::chrono::milliseconds timeout = state_.stopping || state_.ending ? last_request_timeout : idle_timeout;
  co_await reader_.await_request(context, steady_clock::now() + timeout);
  state_.idle = false;
}

Task<bool> Connection::serve_request(Context& connection_context) {
  co_await await_request(connection_context);
  const auto read = co_await reader_.read_head(connection_context, head_);
  if (!read) {
    const Request request{.method = head_.method, .target = {}, .headers = head_.headers};
    co_await refuse(connection_context, framing_error_answer(host_, read.error(), request));
    co_return false;
  }
  if (state_.ending) co_return false;

  RequestBody body(head_, reader_, stream_, host_.body_bytes_per_timeout);
  const Request request{.method = head_.method,
                        .target = head_.target,
                        .headers = head_.headers,
                        .scheme_is_https = peer_.scheme_is_https,
                        .forwarding_trusted = peer_.forwarding_trusted,
                        .draining = state_.draining,
                        .body = head_.has_body() ? &body : nullptr};
  // Freed with the request, so that an idle connection keeps no frames.
  FrameArena frames;
  Context context = context_with(frames);
  if (limits_) limits_->begin_request();
  const Instant started_at = host_.clock.now();
  context.deadline = {started_at.microseconds + request_timeout_microseconds};
  const auto started = steady_clock::now();
  if (auto refusal = shed(context, request, started))
    co_return co_await answer(context, std::move(*refusal), request, body);
  const auto span = request_span(host_, request);
  Response response = co_await host_.handler.handle(context, request);
  if (body.framing_error()) response = framing_error_answer(host_, *body.framing_error(), request);
  const bool is_refused = refuse_stream(context, request, response) || response.status == too_many_requests;
  const int status = response.status;
  const RequestSummary summary = std::move(response.summary);
  const LoggedRequest logged{.method = head_.method, .summary = summary, .span = span, .status = status};
  host_.access_log.record_access(logged);
  const auto keep_alive = co_await outcome(answer(context, std::move(response), request, body));
  stream_slot_.reset();
  if (is_refused) {
    host_.metrics.record_refused(head_.method, summary.route, status);
    host_.access_log.record_refused(logged, started);
    co_return keep_alive.value_or(false);
  }
  const auto elapsed = std::chrono::duration_cast<std::chrono::microseconds>(steady_clock::now() - started);
  host_.metrics.record_answered(head_.method, summary.route, status, elapsed);
  host_.access_log.record(logged, elapsed);
  if (host_.spans) host_.spans->record(logged, started_at, elapsed);
  co_return keep_alive.value_or(false);
}

std::optional<Response> Connection::shed(Context& context, const Request& request, LoadShedding::Time now) {
  if (!state_.load.should_shed(state_.queue_time, now)) return std::nullopt;
  auto refusal = host_.handler.shed(context, request);
  if (!refusal) return std::nullopt;
  if (refusal->status == 503) state_.load.count_shed();
  host_.metrics.record_refused(head_.method, refusal->summary.route, refusal->status);
  host_.access_log.record_refused(
      {.method = head_.method, .summary = refusal->summary, .span = std::nullopt, .status = refusal->status}, now);
  return refusal;
}

bool Connection::refuse_stream(Context& context, const Request& request, Response& response) {
  if (!host_.streams || !std::holds_alternative<std::unique_ptr<ChunkSource>>(response.body)) return false;
  if (auto slot = host_.streams->acquire(client())) {
    stream_slot_.emplace(std::move(*slot));
    return false;
  }
  auto refusal = host_.handler.shed(context, request);
  if (!refusal) return false;
  response = std::move(*refusal);
  return true;
}

Task<bool> Connection::answer(Context& context, Response response, const Request& request, RequestBody& body) {
  if (response.status == 304) match_not_modified_tag(request, response);
  const ResponseFraming framing{
      .minor_version = head_.minor_version,
      .omit_body = head_.method == "HEAD",
      .close = response.close || !head_.keep_alive || state_.draining || state_.ending || !body.can_be_skipped(),
      .coding = coding_for(request, response),
      .date = date_.format(host_.clock.now()),
  };
  co_await write(context, response, framing);
  response.body = std::string();  // frees the body before the rest of the request is awaited
  if (!framing.close) co_return co_await body.skip_rest(context);
  co_await lingering_close(context);
  co_return false;
}

Task<void> Connection::refuse(Context& context, Response response) {
  const ResponseFraming framing{.close = true, .date = date_.format(host_.clock.now())};
  host_.metrics.record_refused("-", response.summary.route, response.status);
  host_.access_log.record({.method = "-", .summary = response.summary, .span = std::nullopt, .status = response.status},
                          {});
  co_await write(context, response, framing);
  co_await lingering_close(context);
}

Task<void> Connection::write(Context& context, Response& response, const ResponseFraming& framing) {
  is_writing_ = true;
  co_await writer_.write(context, response, framing);
  is_writing_ = false;
}

Task<void> Connection::lingering_close(Context& context) {
  stream_.finish();
  co_await reader_.discard_until(context, steady_clock::now() + linger_timeout);
}

}  // namespace portail::server
