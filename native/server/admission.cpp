#include "native/server/admission.hpp"

#include <algorithm>

namespace portail::server {

bool Admission::admit(const IpAddress& address, bool exempt) {
  if (connections_ >= limits_.max_connections) return false;
  if (!exempt) {
    const auto entry = by_address_.try_emplace(address.client_prefix()).first;
    if (entry->second >= limits_.max_per_address) return false;
    ++entry->second;
  }
  ++connections_;
  return true;
}

void Admission::release(const IpAddress& address, bool exempt) {
  --connections_;
  if (exempt) return;
  const auto entry = by_address_.find(address.client_prefix());
  if (--entry->second == 0) by_address_.erase(entry);
}

void QueueTimes::add(Duration time) {
  const auto bucket =
      std::ranges::lower_bound(bounds, time, {}, [](int bound) { return std::chrono::microseconds(bound); });
  counts_.at(static_cast<std::size_t>(bucket - bounds.begin())).fetch_add(1, std::memory_order_relaxed);
  sum_.fetch_add(time.count(), std::memory_order_relaxed);
}

void LoadShedding::on_dequeue(Duration queue_time, bool is_queue_empty, Time now) {
  queue_times_.add(queue_time);
  const bool is_above = above_since_.load(std::memory_order_relaxed) != never;
  // Written only if the value changes, because all workers read it for each request.
  if (is_queue_empty) {
    if (is_above) above_since_ = never;
  } else if (!is_above && queue_time > limit_ / 2) {
    above_since_ = now;
  }
}

bool LoadShedding::should_shed(Duration queue_time, Time now) const { return queue_time > limit_ && is_shedding(now); }

bool LoadShedding::is_shedding(Time now) const {
  if (limit_ == Duration::zero()) return false;
  const Time since = above_since_;
  return since != never && now - since >= interval;
}

}  // namespace portail::server
