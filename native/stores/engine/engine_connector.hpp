// Makes the connections of an engine's loop, one after the other, on a thread of its own, since that looks up names and
// waits. After an attempt that failed there is a pause: of 50 ms, and of twice as much each time, of 1 s at most.
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

namespace portail {

template <class Connection, class Fault>
class EngineConnector {
 public:
  using Made = std::expected<Connection, Fault>;
  using Time = std::chrono::steady_clock::time_point;

  // Both are called on that thread: the second when there is something to take.
  EngineConnector(std::function<Made()> make, std::function<void()> made)
      : make_(std::move(make)),
        tell_(std::move(made)),
        connecting_([this](const std::stop_token& stop) { connect(stop); }) {}

  // All that follows is for the loop's thread.

  // Begins an attempt where none is under way and it is not too early for one. Whether one is under way.
  bool attempt(Time now) {
    if (is_connecting_) return true;
    if (now < next_attempt_) return false;
    is_connecting_ = true;
    const std::lock_guard lock(mutex_);
    is_wanted_ = true;
    wanted_.notify_one();
    return true;
  }
  // How the attempt ended, once.
  std::optional<Made> take() {
    std::optional<Made> made;
    {
      const std::lock_guard lock(mutex_);
      made.swap(made_);
    }
    if (!made) return made;
    is_connecting_ = false;
    pause_ = *made ? std::chrono::milliseconds(0) : std::clamp(pause_ * 2, shortest_pause, longest_pause);
    next_attempt_ = std::chrono::steady_clock::now() + pause_;
    return made;
  }

 private:
  static constexpr std::chrono::milliseconds shortest_pause{50};
  static constexpr std::chrono::milliseconds longest_pause{1000};

  void connect(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (wanted_.wait(lock, stop, [this] { return is_wanted_; })) {
      is_wanted_ = false;
      lock.unlock();
      Made made = make_();
      lock.lock();
      made_ = std::move(made);
      tell_();
    }
  }

  const std::function<Made()> make_;
  const std::function<void()> tell_;

  std::mutex mutex_;
  std::condition_variable_any wanted_;
  bool is_wanted_ = false;
  std::optional<Made> made_;

  // Of the loop's thread.
  bool is_connecting_ = false;
  std::chrono::milliseconds pause_{0};
  Time next_attempt_{};

  std::jthread connecting_;
};

}  // namespace portail
