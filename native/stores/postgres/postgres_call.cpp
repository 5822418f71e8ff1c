#include "native/stores/postgres/postgres_call.hpp"

#include <chrono>
#include <coroutine>
#include <expected>
#include <memory>
#include <mutex>
#include <utility>

#include "native/stores/postgres/postgres_loop.hpp"

namespace portail {

PostgresLease::~PostgresLease() {
  if (loop_) loop_->give_back(number_);
}

// A request that is suspended until its call is finished.
class PostgresCall::Waiter {
 public:
  Waiter(PostgresCall& call, WaitingPlace& place) : call_(call), place_(place) {}
  ~Waiter() {
    const std::lock_guard lock(call_.mutex_);
    call_.place_ = nullptr;
  }
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

  bool await_ready() { return false; }
  bool await_suspend(std::coroutine_handle<> coroutine) {
    const std::lock_guard lock(call_.mutex_);
    if (is_over()) return false;
    // The loop is never that late.
    constexpr std::chrono::seconds grace{5};
    place_.suspend(coroutine, call_.question.deadline.at + grace);
    call_.place_ = &place_;
    return true;
  }
  // Whether there is nothing more to wait for.
  bool await_resume() {
    const std::lock_guard lock(call_.mutex_);
    return is_over();
  }

 private:
  [[nodiscard]] bool is_over() const { return call_.answer_ || place_.is_given_up(); }

  PostgresCall& call_;
  WaitingPlace& place_;
};

void PostgresCall::finish(std::expected<Answer, PostgresFault> answer) {
  const std::lock_guard lock(mutex_);
  answer_ = std::move(answer);
  if (place_) place_->wake();
  finished_.notify_all();
}

Task<std::expected<PostgresCall::Answer, PostgresFault>> PostgresCall::answered(Context& context,
                                                                                std::shared_ptr<PostgresCall> call) {
  if (context.waiting_place) {
    Waiter waiter(*call, *context.waiting_place);
    while (!co_await waiter) {
    }
  }
  std::unique_lock lock(call->mutex_);
  if (!context.waiting_place) call->finished_.wait(lock, [&call] { return call->answer_.has_value(); });
  if (!call->answer_)
    co_return std::unexpected(PostgresFault{.failure = Failure::cancelled, .text = "it was given up"});
  co_return std::move(*call->answer_);
}

}  // namespace portail
