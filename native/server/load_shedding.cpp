#include "native/server/load_shedding.hpp"

namespace portail {

void LoadShedding::taken(Duration waited, bool leaves_none, Time now) {
  delay_.store(waited, std::memory_order_relaxed);
  const bool is_above = above_since_.load(std::memory_order_relaxed) != never;
  // Written where it changes only: all workers read it for each request.
  if (leaves_none) {
    if (is_above) above_since_ = never;
  } else if (!is_above && waited > limit_ / 2) {
    above_since_ = now;
  }
}

bool LoadShedding::sheds(Duration waited, Time now) const { return waited > limit_ && sheds(now); }

bool LoadShedding::sheds(Time now) const {
  if (limit_ == Duration::zero()) return false;
  const Time since = above_since_;
  return since != never && now - since >= interval;
}

}  // namespace portail
