// A check of a store's state that concurrent requests share, as a group commit shares a flush. At most two checks run
// concurrently. A request that arrives while they run waits for the next check, which serves all waiting requests. A
// request never uses a check that began before it. Any thread.
#pragma once

#include <chrono>
#include <coroutine>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/storage/mutex.hpp"

namespace portail {

template <class T>
class SharedCheck {
 public:
  using Result = std::shared_ptr<const T>;

  // One request's participation, from its arrival until it has a result. If it is destroyed while it checks, another
  // request checks for those that wait. One thread at a time.
  class Turn {
   public:
    // Both must outlive this. `suspension` is that of the request.
    Turn(SharedCheck& shared, RequestSuspension& suspension) : shared_(shared), suspension_(suspension) {
      const Lock lock(shared_.mutex_);
      shared_.waiting_.push_back(this);
      if (shared_.may_begin()) shared_.begin(*this);
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() {
      const Lock lock(shared_.mutex_);
      shared_.leave(*this);
    }

    // Returns the result of a check that began after this turn. null: the caller must check, and then call end().
    Task<Result> wait(Context&) {
      for (;;) {
        co_await Awaiter(*this);
        const Lock lock(shared_.mutex_);
        if (state_ == State::waiting && shared_.may_begin()) shared_.begin(*this);
        const bool was_chosen = std::exchange(is_chosen_, false);
        if (state_ == State::checking || state_ == State::finished) co_return result_;
        if (was_chosen) continue;  // another request has begun a check since
        shared_.leave(*this);      // the check takes too long, or the request was cancelled
        co_return nullptr;
      }
    }
    // Returns whether other requests wait for the check of this one.
    [[nodiscard]] bool is_awaited() const {
      const Lock lock(shared_.mutex_);
      return !served_.empty();
    }
    // Ends the check, and gives the result to the requests that wait for it. null: it failed, and each of them checks.
    void end(const Result& result) {
      const Lock lock(shared_.mutex_);
      if (state_ == State::checking) shared_.end(*this, result);
    }

   private:
    friend SharedCheck;

    enum class State : std::uint8_t {
      waiting,   // for the next check
      served,    // waiting for a check that runs
      checking,  // for itself and others
      finished,  // it has a result, or checks for itself only
    };

    struct Awaiter {
      explicit Awaiter(Turn& waiting) : turn(waiting) {}
      Awaiter(const Awaiter&) = delete;
      Awaiter& operator=(const Awaiter&) = delete;
      ~Awaiter() {
        const Lock lock(turn.shared_.mutex_);
        turn.is_suspended_ = false;
      }
      bool await_ready() { return false; }
      bool await_suspend(std::coroutine_handle<> coroutine) {
        const Lock lock(turn.shared_.mutex_);
        const bool is_waiting = turn.state_ == State::waiting && !turn.shared_.may_begin();
        if (!is_waiting && turn.state_ != State::served) return false;
        if (!turn.until_) turn.until_ = std::chrono::steady_clock::now() + max_wait;
        turn.suspension_.suspend(coroutine, *turn.until_);
        turn.is_suspended_ = true;
        return true;
      }
      void await_resume() {}
      Turn& turn;
    };

    void wake() {
      if (std::exchange(is_suspended_, false)) suspension_.wake();
    }

    SharedCheck& shared_;
    RequestSuspension& suspension_;
    // Guarded by the mutex of shared_.
    State state_ = State::waiting;
    bool is_suspended_ = false;
    bool is_chosen_ = false;                                      // woken to check
    std::optional<std::chrono::steady_clock::time_point> until_;  // set by the first wait
    Turn* checker_ = nullptr;                                     // whose check serves this
    std::vector<Turn*> served_;                                   // by the check of this
    Result result_;
  };

 private:
  // With one, two concurrent requests would take turns: over PostgreSQL they took 1.9 times as long.
  static constexpr int max_checks = 2;
  // A request that waited so long checks for itself: the other one may wait for its turn at the store.
  static constexpr std::chrono::milliseconds max_wait{100};

  using State = Turn::State;

  // With mutex_ held.

  [[nodiscard]] bool may_begin() const { return checks_ < max_checks; }
  void begin(Turn& turn) {
    std::erase(waiting_, &turn);
    ++checks_;
    turn.state_ = State::checking;
    turn.served_ = std::exchange(waiting_, {});
    for (Turn* each : turn.served_) {
      each->state_ = State::served;
      each->checker_ = &turn;
    }
  }
  void end(Turn& turn, const Result& result) {
    --checks_;
    turn.state_ = State::finished;
    for (Turn* each : std::exchange(turn.served_, {})) {
      each->state_ = State::finished;
      each->result_ = result;
      each->wake();
    }
    wake_next();
  }
  void leave(Turn& turn) {
    if (turn.state_ == State::waiting) std::erase(waiting_, &turn);
    if (turn.state_ == State::served) std::erase(turn.checker_->served_, &turn);
    if (turn.state_ == State::checking) {
      --checks_;
      for (Turn* each : turn.served_) each->state_ = State::waiting;
      waiting_.insert(waiting_.begin(), turn.served_.begin(), turn.served_.end());
    }
    turn.state_ = State::finished;
    wake_next();
  }
  // A turn that is not suspended sees by itself that it may begin.
  void wake_next() {
    if (!may_begin() || waiting_.empty() || !waiting_.front()->is_suspended_) return;
    waiting_.front()->is_chosen_ = true;
    waiting_.front()->wake();
  }

  Mutex mutex_;                 // guards the members below, and those of the turns
  int checks_ = 0;              // that run
  std::vector<Turn*> waiting_;  // for the next one
};

}  // namespace portail
