#include "tests/simulation/suspending_body.hpp"

#include <memory>

#include "tests/simulation/step_clock.hpp"

namespace portail::simulation {
namespace {

struct Arrival final : Operation {
  explicit Arrival(int delay) : Operation(std::nullopt), steps_left(delay) {}
  bool act() override { return steps_left-- <= 0; }
  int steps_left;
};

}  // namespace

Task<std::optional<std::string_view>> SuspendingBody::next(Context& context) {
  held_a_session_ = held_a_session_ || scheduler_.holds_session(context);
  ++waits_;
  const auto arrival = std::make_shared<Arrival>(plan_.delay);
  scheduler_.add(arrival);
  co_await OperationCompletion(*arrival);
  if (position_ == text_.size()) {
    if (plan_.is_cut) {
      was_cut_ = true;
      co_await std::unexpected(Failure::body_incomplete);
    }
    arrived_ = step_of(context.clock.now());
    co_return std::nullopt;
  }
  const std::string_view part = std::string_view(text_).substr(position_, plan_.part_size);
  position_ += part.size();
  co_return part;
}

}  // namespace portail::simulation
