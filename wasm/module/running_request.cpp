#include "wasm/module/running_request.hpp"

#include <utility>

#include "core/base/text.hpp"
#include "wasm/module/encoding.hpp"

namespace portail::wasm {

std::optional<RequestHead> RequestHead::parse(Buffer bytes) {
  RequestHead head(std::move(bytes));
  Decoder decoder(head.bytes_.view());
  head.flags_ = decoder.number();
  head.method_ = decoder.text();
  head.target_ = decoder.text();
  for (std::uint32_t left = decoder.number(); left > 0 && !decoder.faulty(); --left) {
    const std::string_view name = decoder.text();
    head.headers_.push_back({.name = name, .value = trimmed(decoder.text())});
  }
  if (!decoder.complete()) return std::nullopt;
  return head;
}

Request RequestHead::with(ChunkSource& body) const {
  return {.method = method_,
          .target = target_,
          .headers = headers_,
          .scheme_is_https = (flags_ & PORTAIL_HTTPS) != 0,
          .forwarding_trusted = (flags_ & PORTAIL_FORWARDING_TRUSTED) != 0,
          .draining = (flags_ & PORTAIL_DRAINING) != 0,
          .body = (flags_ & PORTAIL_HAS_BODY) != 0 ? &body : nullptr};
}

std::string encode_answer_head(const Response& response) {
  std::string head;
  append_number(head, static_cast<std::uint32_t>(response.status));
  append_number(head, response.close ? PORTAIL_CLOSE : 0);
  append_number(head, static_cast<std::uint32_t>(response.headers.size()));
  for (const HeaderField& field : response.headers) {
    append_text(head, field.name);
    append_text(head, field.value);
  }
  return head;
}

Task<std::optional<std::string_view>> PushedBody::next(Context&) {
  if (!ended_ && !failure_) co_await Pause{waiting_};
  if (failure_) co_await std::unexpected(*failure_);
  if (ended_) co_return std::nullopt;
  co_return piece_.view();
}

void PushedBody::push(Buffer piece) {
  ended_ = piece.empty();
  piece_ = std::move(piece);
  resume();
}

void PushedBody::fail(Failure failure) {
  failure_ = failure;
  resume();
}

void PushedBody::resume() {
  if (waiting_) std::exchange(waiting_, nullptr).resume();
}

RunningRequest::RunningRequest(PortalInstance& portal, RequestHead head)
    : portal_(portal), context_(portal.context(frames_)), head_(std::move(head)), request_(head_.with(body_)) {}

std::uint32_t RunningRequest::state() const { return body_.is_awaited() ? PORTAIL_WANTS_BODY : state_; }

void RunningRequest::start() {
  exchange_.emplace(serve_request(context_, portal_.handler(), request_, *this));
  run([this] { exchange_->start([](void*) {}, nullptr); });
}

Task<bool> RunningRequest::begin(Context&, const Response& response, bool) {
  const std::string head = encode_answer_head(response);
  co_await show(PORTAIL_ANSWERED, head);
  co_return true;
}

Task<bool> RunningRequest::write(Context&, std::string_view piece) {
  co_await show(PORTAIL_PIECE, piece);
  co_return true;
}

RunningRequest::NextAwaiter RunningRequest::show(std::uint32_t state, std::string_view data) {
  state_ = state;
  data_ = data;
  return {*this};
}

void RunningRequest::next() {
  if (!suspended_) return;
  state_ = PORTAIL_WAITING;
  data_ = {};
  run([this] { std::exchange(suspended_, nullptr).resume(); });
}

void RunningRequest::give_body(Buffer piece) {
  if (body_.is_awaited()) run([&] { body_.push(std::move(piece)); });
}

void RunningRequest::fail_body(Failure failure) {
  if (body_.is_awaited()) run([&] { body_.fail(failure); });
}

void RunningRequest::expire() {
  if (state_ != PORTAIL_WAITING) return;
  expired_ = true;
  run([this] {
    if (operation_) {
      operation_->complete(std::unexpected(Failure::cancelled));
    } else {
      body_.fail(Failure::body_late);
    }
  });
}

}  // namespace portail::wasm
