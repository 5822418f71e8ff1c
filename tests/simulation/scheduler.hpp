// The scheduler of the suspending store. Every access is a pending operation until the seeded order selects it; its
// effect and its answer may be separate steps. It also selects the accesses that fail. One thread.
#pragma once

#include <coroutine>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/context.hpp"
#include "core/base/failure.hpp"
#include "tests/support/seeded_random.hpp"

namespace portail::simulation {

// The failure of one access of a request.
struct Fault {
  int access = 0;  // the first access of the request is 1
  Failure failure = Failure::unavailable;
  // The number of steps before the failure. With all of them a write takes effect and its answer is lost; with some, a
  // batch that is not atomic is incomplete.
  int steps = 0;
};
inline constexpr int all_steps = std::numeric_limits<int>::max();

// One access to the store. It owns its data, since its request may be destroyed meanwhile.
class Operation {
 public:
  explicit Operation(std::optional<Fault> fault) : fault_(fault) {}
  virtual ~Operation() = default;

  // Performs one step. Returns false while more steps remain. Called by the scheduler.
  bool step();

  [[nodiscard]] virtual bool is_write() const { return false; }

  // Set after the last step.
  Result<void> result;
  // The waiting coroutine; null after its cancellation.
  std::coroutine_handle<> waiter;

 protected:
  // Performs one step; returns true after the last one.
  virtual bool act() = 0;

 private:
  std::optional<Fault> fault_;
  int steps_ = 0;
};

class Scheduler {
 public:
  explicit Scheduler(std::uint64_t seed) : random_(seed) {}

  // Plans a failure for the request with this context. Call remove_request before the context is destroyed.
  void plan(const Context& context, std::optional<Fault> fault) { requests_[&context] = {.fault = fault}; }
  void remove_request(const Context& context) { requests_.erase(&context); }
  [[nodiscard]] int accesses(const Context& context) const { return requests_.at(&context).accesses; }
  [[nodiscard]] bool fault_struck(const Context& context) const { return requests_.at(&context).had_fault; }

  // Counts the sessions that a request holds. After remove_request they are not counted.
  void count_session(const Context* context, int difference) {
    const auto request = requests_.find(context);
    if (request != requests_.end()) request->second.sessions += difference;
  }
  [[nodiscard]] bool holds_session(const Context& context) const { return requests_.at(&context).sessions > 0; }

  // During an outage every access fails.
  void set_outage(bool lasts) { outage_ = lasts; }

  // Counts an access of a request, and returns its failure, if any.
  std::optional<Fault> next_access(const Context& context);

  void add(std::shared_ptr<Operation> operation) { pending_.push_back(std::move(operation)); }
  [[nodiscard]] bool idle() const { return pending_.empty(); }
  // The number of writes that continue after their request was cancelled.
  [[nodiscard]] std::ptrdiff_t abandoned_writes() const;
  [[nodiscard]] std::ptrdiff_t pending_writes() const;
  // Performs one step of one operation. After the last one, the waiting coroutine is resumed before this returns.
  void step();

  int open_sessions = 0;

 private:
  struct Request {
    std::optional<Fault> fault = std::nullopt;
    int accesses = 0;
    bool had_fault = false;
    int sessions = 0;
  };
  SeededRandom random_;
  bool outage_ = false;
  std::map<const Context*, Request> requests_;
  std::vector<std::shared_ptr<Operation>> pending_;
};

// Awaits the last step of an operation, which the awaiting coroutine owns. Cancelling the coroutine abandons it.
class OperationCompletion {
 public:
  explicit OperationCompletion(Operation& operation) : operation_(operation) {}
  OperationCompletion(const OperationCompletion&) = delete;
  OperationCompletion& operator=(const OperationCompletion&) = delete;
  ~OperationCompletion() { operation_.waiter = nullptr; }

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiter) noexcept { operation_.waiter = waiter; }
  void await_resume() const noexcept {}

 private:
  Operation& operation_;
};

}  // namespace portail::simulation
