#include "edge/http/p2/timer.hpp"

#include <array>

#include "edge/http/instance.hpp"

namespace portail::edge {

bool Timer::wait_for(const Pollable& ready) {
  if (!timeout_) timeout_ = Pollable(clock_subscribe_duration(nanoseconds_));
  std::array both{poll_borrow_pollable(ready.get()), poll_borrow_pollable(timeout_.get())};
  poll_list_borrow_pollable_t pollables{.ptr = both.data(), .len = both.size()};
  http2_list_u32_t ready_indices{};
  poll_poll(&pollables, &ready_indices);
  Instance::current().invalidate_time();
  const bool is_ready = ready_indices.len > 0 && ready_indices.ptr[0] == 0;
  http2_list_u32_free(&ready_indices);
  return is_ready;
}

}  // namespace portail::edge
