// When a key set is fetched, and how long it counts. Computes times and does no I/O; the owner reports events to it,
// with the time. Plain values; one thread at a time.
#pragma once

#include <chrono>
#include <cstdint>

namespace portail {

struct RefreshTimes {
  using Duration = std::chrono::milliseconds;
  Duration interval = std::chrono::seconds(300);  // from a fetch that succeeded to the next
  // The least time between two fetches that are not due by the interval: for an unknown key, or after a failure.
  Duration pause = std::chrono::seconds(30);
  Duration first_retry = std::chrono::seconds(1);  // without keys: doubled with each failure, up to the pause
  Duration longest_age = std::chrono::hours(24);   // of keys whose source fails; then they no longer count
};

class RefreshSchedule {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // The first fetch is due at once.
  RefreshSchedule(RefreshTimes times, Time now) : times_(times), due_(now) {}

  // The next fetch. Meaningless between began() and its end.
  [[nodiscard]] Time due() const { return due_; }
  // When the keys stop to count; Time::max() where there are none.
  [[nodiscard]] Time keys_end() const { return has_keys_ ? succeeded_ + times_.longest_age : Time::max(); }
  // The last fetch that succeeded; meaningless where has_keys() is false.
  [[nodiscard]] Time succeeded_at() const { return succeeded_; }
  [[nodiscard]] bool has_keys() const { return has_keys_; }
  // Since the last success.
  [[nodiscard]] std::uint64_t failures() const { return failures_; }

  // A token names an unknown key: the next fetch is due as soon as the pause allows.
  void key_missed(Time now);
  // A caller asks for a fetch that begins after this: it is due immediately, or as soon as the one under way has ended.
  void asked(Time now);
  void began(Time now);
  void succeeded(Time now);
  void failed(Time now);
  // The keys are too old, and forgotten.
  void keys_ended() { has_keys_ = false; }

 private:
  RefreshTimes times_;
  Time due_;
  Time began_ = Time::min();  // the last fetch
  Time succeeded_{};
  bool has_keys_ = false;
  bool asked_ = false;  // since the last fetch began
  std::uint64_t failures_ = 0;
};

}  // namespace portail
