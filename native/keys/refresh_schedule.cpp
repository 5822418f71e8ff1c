#include "native/keys/refresh_schedule.hpp"

#include <algorithm>

namespace portail {

void RefreshSchedule::key_missed(Time now) {
  const Time allowed = began_ == Time::min() ? now : std::max(now, began_ + times_.pause);
  due_ = std::min(due_, allowed);
}

void RefreshSchedule::asked(Time now) {
  due_ = std::min(due_, now);
  asked_ = true;
}

void RefreshSchedule::began(Time now) {
  began_ = now;
  asked_ = false;
}

void RefreshSchedule::succeeded(Time now) {
  succeeded_ = now;
  has_keys_ = true;
  failures_ = 0;
  due_ = asked_ ? now : now + times_.interval;
}

void RefreshSchedule::failed(Time now) {
  constexpr std::uint64_t most_doublings = 20;
  const auto doubled = std::min(failures_, most_doublings);
  ++failures_;
  const auto first = has_keys_ ? times_.pause : times_.first_retry;
  const auto longest = has_keys_ ? std::max(times_.interval, times_.pause) : std::max(times_.pause, times_.first_retry);
  due_ = asked_ ? now : now + std::min(first * (std::int64_t{1} << doubled), longest);
}

}  // namespace portail
