#include "wasm/module/given_body.hpp"

#include <utility>

namespace portail::wasm {

Task<std::optional<std::string_view>> GivenBody::next(Context&) {
  if (!ended_ && !lost_) co_await Pause{waiting_};
  if (lost_) co_await std::unexpected(Failure::cancelled);
  if (ended_) co_return std::nullopt;
  co_return piece_.view();
}

void GivenBody::give(Buffer piece) {
  ended_ = piece.empty();
  piece_ = std::move(piece);
  go_on();
}

void GivenBody::lose() {
  lost_ = true;
  go_on();
}

void GivenBody::go_on() {
  if (waiting_) std::exchange(waiting_, nullptr).resume();
}

}  // namespace portail::wasm
