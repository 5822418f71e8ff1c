#include "wasm/module/running_request.hpp"

#include <utility>

namespace portail::wasm {

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
