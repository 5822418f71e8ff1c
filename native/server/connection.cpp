#include "native/server/connection.hpp"

#include <chrono>
#include <utility>

#include "native/http/request_body.hpp"
#include "native/http/trace_context.hpp"
#include "native/server/own_answers.hpp"
#include "native/telemetry/span_export.hpp"

namespace portail {
namespace {

using std::chrono::steady_clock;

constexpr std::int64_t longest_request_microseconds = 30'000'000;
constexpr std::chrono::milliseconds last_request_wait{250};
constexpr std::chrono::seconds longest_linger{1};
constexpr int too_many_requests = 429;

ContentCoding coding_for(const Request& request, const Response& response) {
  const auto* whole = std::get_if<std::string>(&response.body);
  if (whole && whole->size() < smallest_compressed) return ContentCoding::identity;
  return is_compressible(response) ? preferred_coding(request) : ContentCoding::identity;
}

// Where spans are sent, each request has one.
std::optional<RequestSpan> span_for(const Host& host, const Request& request) {
  auto span = span_of(request, host.random);
  return span || !host.spans ? span : first_span(host.random);
}

std::optional<PeerLimits> limits_of(const Host& host, const Peer& peer) {
  if (!host.rates) return std::nullopt;
  return PeerLimits(*host.rates, peer.address);
}

}  // namespace

Connection::Connection(const Host& host, ByteStream& stream, Parking& parking, Peer peer, ConnectionState state,
                       WaitingPlace* place)
    : host_(host),
      peer_(peer),
      state_(state),
      parking_(parking),
      limits_(limits_of(host, peer)),
      place_(place),
      context_(context_with(frames_)),
      stream_(stream, parking),
      reader_(stream_),
      writer_(stream_) {}

Context Connection::context_with(FrameArena& frames) {
  return {.clock = host_.clock,
          .random = host_.random,
          .log = host_.log,
          .frames = frames,
          .token_cache = host_.token_cache,
          .answers = host_.answers,
          .waiting_place = place_,
          .limits = limits_ ? &*limits_ : nullptr};
}

std::uint64_t Connection::client() const {
  return limits_ && limits_->caller() != 0 ? limits_->caller() : peer_.claimant;
}

Task<void> Connection::serve(Context& context) {
  bool goes_on = co_await stream_.open(context, steady_clock::now() + longest_handshake_time);
  if (!goes_on) co_await refuse(context, https_expected_answer(host_));
  while (goes_on) {
    goes_on = co_await serve_one(context);
    // A client that pipelines requests has one of them answered per turn, as every other client.
    if (goes_on && reader_.has_unread()) co_await parking_.until(Parking::For::turn, Deadline::max());
  }
}

Task<void> Connection::await_request(Context& context) {
  state_.idle = true;
  // The server says that it stops before it looks for idle connections; this one says that it is idle before it looks
  // whether the server stops. So one of the two sees the other.
  const std::chrono::milliseconds longest = state_.stopping ? last_request_wait : longest_idle_time;
  co_await reader_.await_request(context, steady_clock::now() + longest);
  state_.idle = false;
}

Task<bool> Connection::serve_one(Context& connection_context) {
  co_await await_request(connection_context);
  const auto read = co_await reader_.read_head(connection_context, head_);
  if (!read) {
    const Request request{.method = head_.method, .target = {}, .headers = head_.headers};
    co_await refuse(connection_context, framing_answer(host_, read.error(), request));
    co_return false;
  }

  RequestBody body(head_, reader_, stream_);
  const Request request{.method = head_.method,
                        .target = head_.target,
                        .headers = head_.headers,
                        .scheme_is_https = peer_.scheme_is_https,
                        .forwarding_trusted = peer_.forwarding_trusted,
                        .draining = state_.draining,
                        .body = head_.has_body() ? &body : nullptr};
  // They go with the request: a connection that waits for the next one keeps none of them.
  FrameArena frames;
  Context context = context_with(frames);
  if (limits_) limits_->begin_request();
  const Instant began_at = host_.clock.now();
  context.deadline = {began_at.microseconds + longest_request_microseconds};
  const auto began = steady_clock::now();
  if (auto refusal = shed(context, request, began))
    co_return co_await answer(context, std::move(*refusal), request, body);
  const auto span = span_for(host_, request);
  Response response = co_await host_.handler.handle(context, request);
  if (body.fault()) response = framing_answer(host_, *body.fault(), request);
  const bool is_refused = refuse_stream(context, request, response) || response.status == too_many_requests;
  const int status = response.status;
  const RequestSummary summary = std::move(response.summary);
  const LoggedRequest logged{.method = head_.method, .summary = summary, .span = span, .status = status};
  host_.access_log.record_access(logged);
  const auto goes_on = co_await outcome(answer(context, std::move(response), request, body));
  slot_.reset();
  if (is_refused) {
    host_.metrics.refused(head_.method, summary.route, status);
    co_return goes_on.value_or(false);  // without a line: a client that asks for too much does not fill the log too
  }
  const auto spent = std::chrono::duration_cast<std::chrono::microseconds>(steady_clock::now() - began);
  host_.metrics.answered(head_.method, summary.route, status, spent);
  host_.access_log.record(logged, spent);
  if (host_.spans) host_.spans->record(logged, began_at, spent);
  co_return goes_on.value_or(false);
}

std::optional<Response> Connection::shed(Context& context, const Request& request, LoadShedding::Time now) {
  if (!state_.load.sheds(state_.waited, now)) return std::nullopt;
  auto refusal = host_.handler.shed(context, request);
  if (!refusal) return std::nullopt;
  if (refusal->status == 503) state_.load.count();
  host_.metrics.refused(head_.method, refusal->summary.route, refusal->status);
  return refusal;
}

bool Connection::refuse_stream(Context& context, const Request& request, Response& response) {
  if (!host_.streams || !std::holds_alternative<std::unique_ptr<ChunkSource>>(response.body)) return false;
  if (auto slot = host_.streams->acquire(client())) {
    slot_.emplace(std::move(*slot));
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
      .without_body = head_.method == "HEAD",
      .close = response.close || !head_.keep_alive || state_.draining || !body.can_be_skipped(),
      .coding = coding_for(request, response),
      .date = date_.at(host_.clock.now()),
  };
  co_await write(context, response, framing);
  response.body = std::string();  // nothing of it is kept while the rest of the request is awaited
  if (!framing.close) co_return co_await body.skip_rest(context);
  co_await close_gently(context);
  co_return false;
}

Task<void> Connection::refuse(Context& context, Response response) {
  const ResponseFraming framing{.close = true, .date = date_.at(host_.clock.now())};
  host_.metrics.refused("-", response.summary.route, response.status);
  host_.access_log.record({.method = "-", .summary = response.summary, .span = std::nullopt, .status = response.status},
                          {});
  co_await write(context, response, framing);
  co_await close_gently(context);
}

Task<void> Connection::write(Context& context, Response& response, const ResponseFraming& framing) {
  answering_ = true;
  co_await writer_.write(context, response, framing);
  answering_ = false;
}

Task<void> Connection::close_gently(Context& context) {
  stream_.finish();
  co_await reader_.discard_until(context, steady_clock::now() + longest_linger);
}

}  // namespace portail
