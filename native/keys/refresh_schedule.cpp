#include "native/keys/refresh_schedule.hpp"

#include <algorithm>

namespace portail::keys {

void RefreshSchedule::on_unknown_key(Time now) {
  const Time allowed = fetch_started_at_ == Time::min() ? now : std::max(now, fetch_started_at_ + times_.min_interval);
  due_ = std::min(due_, allowed);
}

void RefreshSchedule::on_refresh_requested(Time now) {
  due_ = std::min(due_, now);
  is_refresh_requested_ = true;
}

void RefreshSchedule::on_fetch_started(Time now) {
  fetch_started_at_ = now;
  is_refresh_requested_ = false;
}

void RefreshSchedule::on_fetch_succeeded(Time now) {
  succeeded_at_ = now;
  has_keys_ = true;
  failures_ = 0;
  due_ = is_refresh_requested_ ? now : now + times_.interval;
}

void RefreshSchedule::on_fetch_failed(Time now) {
  constexpr std::uint64_t max_doublings = 20;
  const auto doublings = std::min(failures_, max_doublings);
  ++failures_;
  const auto initial = has_keys_ ? times_.min_interval : times_.initial_backoff;
  const auto max = has_keys_ ? std::max(times_.interval, times_.min_interval)
                             : std::max(times_.min_interval, times_.initial_backoff);
  due_ = is_refresh_requested_ ? now : now + std::min(initial * (std::int64_t{1} << doublings), max);
}

}  // namespace portail::keys
