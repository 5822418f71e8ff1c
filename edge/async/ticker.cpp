#include "edge/async/ticker.hpp"

#include <algorithm>
#include <utility>

#include "edge/async/events.hpp"

namespace portail::edge {
namespace {

constexpr std::uint64_t tick_nanoseconds = 1'000'000'000;
// The shortest wait that the host does not complete immediately.
constexpr std::uint64_t min_wait_nanoseconds = 1'000'000;

}  // namespace

Ticker& Ticker::current() {
  static Ticker* const ticker = new Ticker;
  return *ticker;
}

std::uint64_t Ticker::tick_after(std::uint64_t nanoseconds) const {
  const std::uint64_t whole = nanoseconds / tick_nanoseconds + (nanoseconds % tick_nanoseconds == 0 ? 0 : 1);
  // The current tick is already partly over.
  return ticks_ + whole + 1;
}

void Ticker::add(Listener& listener, Events& events, std::uint64_t tick) {
  entries_.push_back({.listener = &listener, .events = &events, .tick = tick});
  if (subtask_.waitable() == 0) return start(tick_nanoseconds, events);
  if (!carrier_) set_carrier(&events);
}

void Ticker::remove(const Listener& listener) {
  const auto found = std::ranges::find(entries_, &listener, &Entry::listener);
  if (found != entries_.end()) entries_.erase(found);
}

void Ticker::on_event(std::uint32_t state) {
  subtask_.on_event(state);
  subtask_.close();
  Events* const current = std::exchange(carrier_, nullptr);
  if (is_tick_) ++ticks_;
  const auto passed = [this](const Entry& entry) { return has_passed(entry.tick); };
  for (;;) {
    // Searches again each time: a resumed coroutine may add and remove entries.
    const auto found =
        std::ranges::find_if(entries_, [&](const Entry& entry) { return entry.events == current && passed(entry); });
    if (found == entries_.end()) break;
    Listener& listener = *found->listener;
    entries_.erase(found);
    listener.on_timeout();
  }
  if (entries_.empty() || subtask_.waitable() != 0) return;
  // Another task must be resumed in a callback of its own.
  const auto other = std::ranges::find_if(entries_, passed);
  if (other != entries_.end()) return start(min_wait_nanoseconds, *other->events);
  start(tick_nanoseconds, *entries_.front().events);
}

void Ticker::detach(const Events& events) {
  if (carrier_ != &events) return;
  set_carrier(entries_.empty() ? nullptr : entries_.front().events);
}

void Ticker::start(std::uint64_t nanoseconds, Events& carrier) {
  is_tick_ = nanoseconds == tick_nanoseconds;
  subtask_.set_status(clock_wait_for(nanoseconds));
  set_carrier(&carrier);
}

void Ticker::set_carrier(Events* carrier) {
  // If the call returned immediately, there is no event; the next wait calls the clock again.
  carrier_ = subtask_.waitable() == 0 ? nullptr : carrier;
  if (subtask_.waitable() != 0) http3_waitable_join(subtask_.waitable(), carrier ? carrier->set() : 0);
}

}  // namespace portail::edge
