#include "edge/async/ticker.hpp"

#include <algorithm>
#include <utility>

#include "edge/async/events.hpp"

namespace portail::edge {
namespace {

constexpr std::uint64_t tick_nanoseconds = 1'000'000'000;
// The shortest wait that the host does not end at once.
constexpr std::uint64_t a_moment_nanoseconds = 1'000'000;

}  // namespace

Ticker& Ticker::current() {
  static Ticker* const ticker = new Ticker;
  return *ticker;
}

std::uint64_t Ticker::end_of(std::uint64_t nanoseconds) const {
  const std::uint64_t whole = nanoseconds / tick_nanoseconds + (nanoseconds % tick_nanoseconds == 0 ? 0 : 1);
  // The tick that is under way began before.
  return ticks_ + whole + 1;
}

void Ticker::add(Waiting& waiting, Events& events, std::uint64_t tick) {
  entries_.push_back({.waiting = &waiting, .events = &events, .tick = tick});
  if (subtask_.waitable() == 0) return begin(tick_nanoseconds, events);
  if (!carrier_) be_heard_by(&events);
}

void Ticker::remove(const Waiting& waiting) {
  const auto found = std::ranges::find(entries_, &waiting, &Entry::waiting);
  if (found != entries_.end()) entries_.erase(found);
}

void Ticker::take(std::uint32_t state) {
  subtask_.take(state);
  subtask_.end();
  Events* const here = std::exchange(carrier_, nullptr);
  if (is_tick_) ++ticks_;
  const auto over = [this](const Entry& entry) { return is_over(entry.tick); };
  for (;;) {
    // Searches again each time: a notified coroutine may end other waits, and begin some.
    const auto found =
        std::ranges::find_if(entries_, [&](const Entry& entry) { return entry.events == here && over(entry); });
    if (found == entries_.end()) break;
    Waiting& waiting = *found->waiting;
    entries_.erase(found);
    waiting.over();
  }
  if (entries_.empty() || subtask_.waitable() != 0) return;
  // A task is told in a call of its own.
  const auto other = std::ranges::find_if(entries_, over);
  if (other != entries_.end()) return begin(a_moment_nanoseconds, *other->events);
  begin(tick_nanoseconds, *entries_.front().events);
}

void Ticker::leave(const Events& events) {
  if (carrier_ != &events) return;
  be_heard_by(entries_.empty() ? nullptr : entries_.front().events);
}

void Ticker::begin(std::uint64_t nanoseconds, Events& carrier) {
  is_tick_ = nanoseconds == tick_nanoseconds;
  subtask_.began(clock_wait_for(nanoseconds));
  be_heard_by(&carrier);
}

void Ticker::be_heard_by(Events* carrier) {
  // A host that ended the call at once has nothing to be heard; the next wait asks it again.
  carrier_ = subtask_.waitable() == 0 ? nullptr : carrier;
  if (subtask_.waitable() != 0) http3_waitable_join(subtask_.waitable(), carrier ? carrier->set() : 0);
}

}  // namespace portail::edge
