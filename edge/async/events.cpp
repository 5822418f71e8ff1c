#include "edge/async/events.hpp"

#include <algorithm>
#include <utility>

namespace portail::edge {

Events::~Events() {
  Ticker::current().leave(*this);
  http3_waitable_set_drop(set_);
}

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
  if (event.event == HTTP3_EVENT_NONE) {
    if (const auto coroutine = std::exchange(yielding_, nullptr)) coroutine.resume();
    return;
  }
  if (Ticker::current().is_heard_as(event.waitable)) return Ticker::current().take(event.code);
  const auto found = std::ranges::find(awaited_, event.waitable, &Awaited::waitable);
  if (found == awaited_.end()) return;
  Listener* listener = found->listener;
  // It stays in the set: taking it out would be a call of the host, and most are dropped now.
  awaited_.erase(found);
  listener->happened(event.code);
}

std::uint64_t Timer::end() {
  if (!end_) end_ = Ticker::current().end_of(nanoseconds_);
  return *end_;
}

bool Wait::await_suspend(std::coroutine_handle<> coroutine) {
  if (timer_ && Ticker::current().is_over(timer_->end())) return false;
  coroutine_ = coroutine;
  events_ = &Events::current();
  events_->listen(waitable_, event_);
  if (timer_) Ticker::current().add(alarm_, *events_, timer_->end());
  return true;
}

void Wait::stop() {
  if (!events_) return;
  events_->forget(waitable_);
  if (timer_) Ticker::current().remove(alarm_);
  events_ = nullptr;
}

void Wait::Event::happened(std::uint32_t code) {
  wait.stop();
  wait.code_ = code;
  wait.coroutine_.resume();
}

void Wait::Alarm::over() {
  wait.stop();
  wait.coroutine_.resume();
}

}  // namespace portail::edge
