#include "edge/async/events.hpp"

#include <algorithm>
#include <utility>

namespace portail::edge {

Events::~Events() {
  Ticker::current().detach(*this);
  http3_waitable_set_drop(set_);
}

void Events::listen(Waitable waitable, Listener& listener) {
  http3_waitable_join(waitable, set_);
  registrations_.push_back({.waitable = waitable, .listener = &listener});
}

void Events::remove(Waitable waitable) {
  const auto found = std::ranges::find(registrations_, waitable, &Registration::waitable);
  if (found == registrations_.end()) return;
  registrations_.erase(found);
  http3_waitable_join(waitable, 0);
}

void Events::dispatch(const http3_event_t& event) {
  if (event.event == HTTP3_EVENT_NONE) {
    if (const auto coroutine = std::exchange(yielding_, nullptr)) coroutine.resume();
    return;
  }
  Ticker& ticker = Ticker::current();
  if (ticker.owns(event.waitable)) return ticker.on_event(*this, event.waitable, event.code);
  const auto found = std::ranges::find(registrations_, event.waitable, &Registration::waitable);
  if (found == registrations_.end()) return;
  Listener* listener = found->listener;
  // The waitable stays in the set: removing it costs a call of the host, and most waitables are dropped now.
  registrations_.erase(found);
  listener->on_event(event.code);
}

std::uint64_t Timer::end_tick() {
  if (!end_tick_) end_tick_ = Ticker::current().tick_after(nanoseconds_);
  return *end_tick_;
}

bool Wait::await_suspend(std::coroutine_handle<> coroutine) {
  if (timer_ && Ticker::current().has_passed(timer_->end_tick())) return false;
  coroutine_ = coroutine;
  events_ = &Events::current();
  events_->listen(waitable_, event_);
  if (timer_) Ticker::current().add(timeout_, *events_, timer_->end_tick());
  return true;
}

void Wait::stop() {
  if (!events_) return;
  events_->remove(waitable_);
  if (timer_) Ticker::current().remove(timeout_);
  events_ = nullptr;
}

void Wait::Event::on_event(std::uint32_t code) {
  wait.stop();
  wait.code_ = code;
  wait.coroutine_.resume();
}

void Wait::Timeout::on_timeout() {
  wait.stop();
  wait.coroutine_.resume();
}

}  // namespace portail::edge
