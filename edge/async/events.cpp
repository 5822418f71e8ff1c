#include "edge/async/events.hpp"

#include <algorithm>

namespace portail::edge {

void Events::listen(Waitable waitable, Listener& listener) {
  http3_waitable_join(waitable, set_);
  awaited_.push_back({.waitable = waitable, .listener = &listener});
}

void Events::forget(Waitable waitable) {
  const auto found = std::ranges::find(awaited_, waitable, &Awaited::waitable);
  if (found == awaited_.end()) return;
  awaited_.erase(found);
  http3_waitable_join(waitable, 0);
}

void Events::take(const http3_event_t& event) {
  const auto found = std::ranges::find(awaited_, event.waitable, &Awaited::waitable);
  if (found == awaited_.end()) return;
  Listener* listener = found->listener;
  forget(event.waitable);
  listener->happened(event.code);
}

std::optional<Waitable> Timer::begin() {
  if (!alarm_.returned() && alarm_.waitable() == 0) alarm_.began(clock_wait_for(nanoseconds_));
  if (alarm_.returned()) return std::nullopt;
  return alarm_.waitable();
}

bool Wait::await_suspend(std::coroutine_handle<> coroutine) {
  alarm_waitable_ = timer_.begin();
  if (!alarm_waitable_) return false;
  coroutine_ = coroutine;
  events_ = &Events::current();
  events_->listen(waitable_, event_);
  events_->listen(*alarm_waitable_, alarm_);
  return true;
}

void Wait::stop() {
  if (!events_) return;
  events_->forget(waitable_);
  events_->forget(*alarm_waitable_);
  events_ = nullptr;
}

void Wait::Event::happened(std::uint32_t code) {
  wait.stop();
  wait.code_ = code;
  wait.coroutine_.resume();
}

void Wait::Alarm::happened(std::uint32_t state) {
  wait.stop();
  wait.timer_.take(state);
  wait.coroutine_.resume();
}

}  // namespace portail::edge
