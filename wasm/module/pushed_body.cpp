#include "wasm/module/pushed_body.hpp"

#include <utility>

namespace portail::wasm {

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

}  // namespace portail::wasm
