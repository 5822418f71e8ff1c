// Computes when a key set is fetched and when its keys expire. Does no I/O: the owner reports events, with the time.
// Plain values; one thread at a time.
#pragma once

#include <chrono>
#include <cstdint>

namespace portail::keys {

struct RefreshIntervals {
  using Duration = std::chrono::milliseconds;
  Duration interval = std::chrono::seconds(300);  // between successful fetches
  // Minimum time between other fetches: for an unknown key, or after a failure.
  Duration min_interval = std::chrono::seconds(30);
  Duration initial_backoff = std::chrono::seconds(1);  // without keys; doubled after each failure, up to min_interval
  Duration max_age = std::chrono::hours(24);           // of keys since the last successful fetch; then they expire
  Duration max_wait = std::chrono::seconds(2);         // of a request, from the beginning of the fetch it waits for
};

class RefreshSchedule {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // The first fetch is due immediately.
  RefreshSchedule(RefreshIntervals times, Time now) : times_(times), due_(now) {}

  // When the next fetch is due. Undefined while a fetch is running.
  [[nodiscard]] Time due() const { return due_; }
  // When the keys expire; Time::max() without keys.
  [[nodiscard]] Time keys_expire_at() const { return has_keys_ ? succeeded_at_ + times_.max_age : Time::max(); }
  // When the last successful fetch ended. Undefined if has_keys() is false.
  [[nodiscard]] Time succeeded_at() const { return succeeded_at_; }
  [[nodiscard]] bool has_keys() const { return has_keys_; }
  // Number of failures since the last success.
  [[nodiscard]] std::uint64_t failures() const { return failures_; }

  // For a token with an unknown key: makes a fetch due as soon as min_interval allows.
  void on_unknown_key(Time now);
  // For a caller that needs a fetch which begins after this call: makes it due immediately, or after the running one.
  void on_refresh_requested(Time now);
  void on_fetch_started(Time now);
  void on_fetch_succeeded(Time now);
  void on_fetch_failed(Time now);
  // Records that the owner has dropped the expired keys.
  void on_keys_expired() { has_keys_ = false; }

 private:
  RefreshIntervals times_;
  Time due_;
  Time fetch_started_at_ = Time::min();  // of the last fetch
  Time succeeded_at_{};
  bool has_keys_ = false;
  bool is_refresh_requested_ = false;  // since the last fetch began
  std::uint64_t failures_ = 0;
};

}  // namespace portail::keys
