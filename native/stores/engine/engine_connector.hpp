// Opens the connections of an engine's loop, one after the other, on a thread of its own, since that resolves names and
// blocks. After a failed attempt the next one is delayed by a backoff: 50 ms, doubled each time, at most 1 s.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <expected>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

namespace portail::engine {

template <class Connection, class Fault>
class Connector {
 public:
  using Outcome = std::expected<Connection, Fault>;
  using Time = std::chrono::steady_clock::time_point;

  // Both functions are called on the connector's thread; `on_complete` is called after each attempt.
  Connector(std::function<Outcome()> connect, std::function<void()> on_complete)
      : connect_(std::move(connect)),
        on_complete_(std::move(on_complete)),
        thread_([this](const std::stop_token& stop) { run(stop); }) {}

  // The functions below are for the loop's thread.

  // Starts an attempt unless one is running or the backoff has not elapsed. Returns whether one is running.
  bool start_attempt(Time now) {
    if (is_connecting_) return true;
    if (now < next_attempt_) return false;
    is_connecting_ = true;
    const std::lock_guard lock(mutex_);
    is_requested_ = true;
    requested_.notify_one();
    return true;
  }
  // Returns the outcome of each attempt once; nullopt if none is available.
  std::optional<Outcome> poll_outcome() {
    std::optional<Outcome> outcome;
    {
      const std::lock_guard lock(mutex_);
      outcome.swap(outcome_);
    }
    if (!outcome) return outcome;
    is_connecting_ = false;
    backoff_ = *outcome ? std::chrono::milliseconds(0) : std::clamp(backoff_ * 2, min_backoff, max_backoff);
    next_attempt_ = std::chrono::steady_clock::now() + backoff_;
    return outcome;
  }

 private:
  static constexpr std::chrono::milliseconds min_backoff{50};
  static constexpr std::chrono::milliseconds max_backoff{1000};

  void run(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (requested_.wait(lock, stop, [this] { return is_requested_; })) {
      is_requested_ = false;
      lock.unlock();
      Outcome outcome = connect_();
      lock.lock();
      outcome_ = std::move(outcome);
      on_complete_();
    }
  }

  const std::function<Outcome()> connect_;
  const std::function<void()> on_complete_;

  std::mutex mutex_;
  std::condition_variable_any requested_;
  bool is_requested_ = false;
  std::optional<Outcome> outcome_;

  // For the loop's thread only.
  bool is_connecting_ = false;
  std::chrono::milliseconds backoff_{0};
  Time next_attempt_{};

  std::jthread thread_;
};

}  // namespace portail::engine
