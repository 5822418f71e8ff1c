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
  if (!owner_) start_tick(events);
}

void Ticker::remove(const Listener& listener) {
  const auto found = std::ranges::find(entries_, &listener, &Entry::listener);
  if (found != entries_.end()) entries_.erase(found);
}

bool Ticker::owns(Waitable waitable) const {
  const auto is_this = [waitable](const auto& wake) { return wake->subtask.waitable() == waitable; };
  return waitable != 0 && (tick_.waitable() == waitable || std::ranges::any_of(wakes_, is_this));
}

void Ticker::on_event(Events& events, Waitable waitable, std::uint32_t state) {
  const auto wake =
      std::ranges::find_if(wakes_, [waitable](const auto& each) { return each->subtask.waitable() == waitable; });
  if (wake != wakes_.end()) {
    (*wake)->subtask.on_event(state);
    wakes_.erase(wake);
    return fire(events);
  }
  tick_.on_event(state);
  tick_.close();
  owner_ = nullptr;
  ++ticks_;
  fire(events);
  wake_others(events);
  // A listener may have made the next call.
  if (!owner_ && (!entries_.empty() || !wakes_.empty())) start_tick(events);
}

void Ticker::detach(const Events& events) {
  const auto wake = std::ranges::find(wakes_, &events, [](const auto& each) { return each->events; });
  if (wake == wakes_.end()) return;
  http3_waitable_join((*wake)->subtask.waitable(), 0);  // a subtask in a set cannot be cancelled
  wakes_.erase(wake);
}

void Ticker::start_tick(Events& owner) {
  tick_.set_status(clock_wait_for(tick_nanoseconds));
  // If the call returned immediately, there is no event; the next wait calls the clock again.
  owner_ = tick_.waitable() == 0 ? nullptr : &owner;
  if (owner_) http3_waitable_join(tick_.waitable(), owner.set());
}

void Ticker::wake_others(const Events& owner) {
  for (const Entry& entry : entries_) {
    const bool is_woken =
        std::ranges::any_of(wakes_, [&entry](const auto& wake) { return wake->events == entry.events; });
    if (!has_passed(entry.tick) || entry.events == &owner || is_woken) continue;
    auto wake = std::make_unique<Wake>();
    wake->events = entry.events;
    wake->subtask.set_status(clock_wait_for(min_wait_nanoseconds));
    if (wake->subtask.waitable() == 0) continue;  // it is tried again at the next tick
    http3_waitable_join(wake->subtask.waitable(), entry.events->set());
    wakes_.push_back(std::move(wake));
  }
}

void Ticker::fire(const Events& events) {
  for (;;) {
    // Searches again each time: a resumed coroutine may add and remove entries.
    const auto found = std::ranges::find_if(
        entries_, [&](const Entry& entry) { return entry.events == &events && has_passed(entry.tick); });
    if (found == entries_.end()) return;
    Listener& listener = *found->listener;
    entries_.erase(found);
    listener.on_timeout();
  }
}

}  // namespace portail::edge
