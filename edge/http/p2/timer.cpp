#include "edge/http/p2/timer.hpp"

#include <array>
#include <span>

#include "edge/http/instance.hpp"

namespace portail::edge {
namespace {

// Blocks the instance until one of them is ready. Returns whether the first one is.
bool poll_all(std::span<poll_borrow_pollable_t> all) {
  poll_list_borrow_pollable_t pollables{.ptr = all.data(), .len = all.size()};
  http2_list_u32_t ready_indices{};
  poll_poll(&pollables, &ready_indices);
  Instance::current().invalidate_time();
  const bool is_ready = ready_indices.len > 0 && ready_indices.ptr[0] == 0;
  http2_list_u32_free(&ready_indices);
  return is_ready;
}

}  // namespace

bool Timer::wait_for(const Pollable& ready) {
  if (!timeout_) timeout_ = Pollable(clock_subscribe_duration(nanoseconds_));
  std::array both{poll_borrow_pollable(ready.get()), poll_borrow_pollable(timeout_.get())};
  return poll_all(both);
}

void Timer::wait() {
  timeout_ = Pollable(clock_subscribe_duration(nanoseconds_));
  std::array one{poll_borrow_pollable(timeout_.get())};
  poll_all(one);
}

}  // namespace portail::edge
