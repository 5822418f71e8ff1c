// What the suspending store waits in: every access is an operation that lies here until the seeded order picks it, and
// whose effect and answer may be apart. It also decides which access of which request fails. One thread.
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

// How one access of a request fails.
struct Fault {
  int access = 0;  // the first access of the request is 1
  Failure failure = Failure::unavailable;
  // How many steps of it are made before. With all of them a write takes effect, and its answer is lost; with some, a
  // batch that is not atomic is half done.
  int steps = 0;
};
inline constexpr int all_steps = std::numeric_limits<int>::max();

// One access to the store. It owns everything it reads from and writes to, since its request may go away meanwhile.
class Operation {
 public:
  explicit Operation(std::optional<Fault> fault) : fault_(fault) {}
  virtual ~Operation() = default;

  // One thing that happens in the engine. False: there is more to do. Called by the scheduler.
  bool step();

  // Whether it writes.
  [[nodiscard]] virtual bool is_write() const { return false; }

  // After the last step.
  Result<void> result;
  // Who waits; null once the request was cancelled.
  std::coroutine_handle<> waiter;

 protected:
  // True: that was the last step.
  virtual bool act() = 0;

 private:
  std::optional<Fault> fault_;
  int steps_ = 0;
};

class Scheduler {
 public:
  explicit Scheduler(std::uint64_t seed) : random_(seed) {}

  // The requests that are to fail, known by their contexts; a context is forgotten before it ends.
  void plan(const Context& context, std::optional<Fault> fault) { requests_[&context] = {fault, 0, false}; }
  void forget(const Context& context) { requests_.erase(&context); }
  [[nodiscard]] int accesses(const Context& context) const { return requests_.at(&context).accesses; }
  [[nodiscard]] bool fault_struck(const Context& context) const { return requests_.at(&context).struck; }

  // As long as it lasts, every access fails.
  void set_outage(bool lasts) { outage_ = lasts; }

  // Counts an access of a request, and says whether it fails.
  std::optional<Fault> next_access(const Context& context);

  void add(std::shared_ptr<Operation> operation) { pending_.push_back(std::move(operation)); }
  [[nodiscard]] bool idle() const { return pending_.empty(); }
  // Writes that go on though their request was cancelled.
  [[nodiscard]] std::ptrdiff_t abandoned_writes() const;
  // One step of some operation; where it was the last one, the coroutine that waits goes on before this returns.
  void step();

  int open_sessions = 0;

 private:
  struct Request {
    std::optional<Fault> fault;
    int accesses = 0;
    bool struck = false;
  };
  SeededRandom random_;
  bool outage_ = false;
  std::map<const Context*, Request> requests_;
  std::vector<std::shared_ptr<Operation>> pending_;
};

// Awaits the last step of an operation, which the awaiting coroutine keeps. Cancelling the coroutine abandons it.
class LastStep {
 public:
  explicit LastStep(Operation& operation) : operation_(operation) {}
  LastStep(const LastStep&) = delete;
  LastStep& operator=(const LastStep&) = delete;
  ~LastStep() { operation_.waiter = nullptr; }

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiter) noexcept { operation_.waiter = waiter; }
  void await_resume() const noexcept {}

 private:
  Operation& operation_;
};

}  // namespace portail::simulation
