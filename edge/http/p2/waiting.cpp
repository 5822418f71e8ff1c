#include "edge/http/p2/waiting.hpp"

#include <array>

#include "edge/http/instance.hpp"

namespace portail::edge {

bool Timer::wait_for(const Pollable& ready) {
  if (!alarm_) alarm_ = Pollable(clock_subscribe_duration(nanoseconds_));
  std::array both{poll_borrow_pollable(ready.get()), poll_borrow_pollable(alarm_.get())};
  poll_list_borrow_pollable_t asked{.ptr = both.data(), .len = both.size()};
  http2_list_u32_t answered{};
  poll_poll(&asked, &answered);
  Instance::current().time_has_passed();
  const bool is_ready = answered.len > 0 && answered.ptr[0] == 0;
  http2_list_u32_free(&answered);
  return is_ready;
}

}  // namespace portail::edge
