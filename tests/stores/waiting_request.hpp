// Requests that are suspended while they wait for their store, over a host of one thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <coroutine>
#include <cstdint>
#include <deque>
#include <mutex>
#include <span>
#include <utility>

#include <gtest/gtest.h>

#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/storage/key_value_store.hpp"
#include "tests/support/test_context.hpp"

namespace portail {

// A host of one thread: woken requests are resumed when the test calls run_one().
class SingleThreadHost {
 public:
  class Suspension final : public RequestSuspension {
   public:
    explicit Suspension(SingleThreadHost& host, std::uint64_t client = 0) : host_(host), client_(client) {}
    void suspend(std::coroutine_handle<> coroutine, std::chrono::steady_clock::time_point) override {
      const std::lock_guard lock(host_.mutex_);
      coroutine_ = coroutine;
    }
    void wake() override {
      const std::lock_guard lock(host_.mutex_);
      if (coroutine_) host_.woken_.push_back(woken_coroutine_ = std::exchange(coroutine_, nullptr));
      host_.changed_.notify_all();
    }
    [[nodiscard]] bool is_cancelled() const override { return cancelled_; }
    [[nodiscard]] std::uint64_t client() const override { return client_; }
    void cancel() {
      cancelled_ = true;
      wake();
    }

   private:
    SingleThreadHost& host_;
    const std::uint64_t client_;
    friend SingleThreadHost;
    std::coroutine_handle<> coroutine_;
    std::coroutine_handle<> woken_coroutine_;
    bool cancelled_ = false;
  };

  // Resumes one woken request; waits for one for at most a minute.
  void run_one() {
    std::unique_lock lock(mutex_);
    ASSERT_TRUE(changed_.wait_for(lock, std::chrono::minutes(1), [this] { return !woken_.empty(); }));
    const auto coroutine = woken_.front();
    woken_.pop_front();
    lock.unlock();
    coroutine.resume();
  }

  // Called when the request of `suspension` was destroyed.
  void remove_woken(Suspension& suspension) {
    const std::lock_guard lock(mutex_);
    std::erase(woken_, suspension.woken_coroutine_);
  }

  [[nodiscard]] bool has_woken() {
    const std::lock_guard lock(mutex_);
    return !woken_.empty();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::coroutine_handle<>> woken_;
};

// A request with a context and a suspension of its own.
struct WaitingRequest {
  WaitingRequest(SingleThreadHost& host, std::int64_t deadline = 60'000'000, std::uint64_t client = 0)
      : suspension(host, client) {
    context.suspension = &suspension;
    context.deadline = {deadline};
  }

  SingleThreadHost::Suspension suspension;
  CountingContext test;
  Context& context = test.context;
};

inline Task<bool> write_k(Context& context, KeyValueStore& store) {
  const Change change{"k", "written"};
  co_await store.write(context, std::span(&change, 1));
  co_return true;
}

}  // namespace portail
