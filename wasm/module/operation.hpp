// A pending operation of the host, and the work whose coroutine awaits it. One thread.
#pragma once

#include <coroutine>
#include <cstdint>
#include <optional>
#include <utility>

#include "core/base/failure.hpp"
#include "wasm/module/buffer.hpp"
#include "wasm/module/instance.hpp"

namespace portail::wasm {

class Work;

// The result of a successful operation. `different`: compare_and_swap found another value.
struct OperationResult {
  bool different = false;
  Buffer values;
};

// A pending operation of the host: of its store, or of its client. A coroutine creates it, passes its number to an
// import, and awaits it:
//
//   Operation operation;
//   portail_put(store, operation.number(), …);
//   const OperationResult result = co_await co_await operation;
//
// It lives in the frame of that coroutine. Destroying it invalidates its number.
class Operation {
 public:
  // For the running work. If that is a request that has expired, the operation has failed already, and the import must
  // not be called: completed() is true then.
  Operation();
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  ~Operation();

  [[nodiscard]] std::uint32_t number() const { return number_; }
  [[nodiscard]] Work& work() const { return work_; }
  [[nodiscard]] bool completed() const { return result_.has_value(); }
  // Returns whether a coroutine is suspended in the operation, so the import has returned.
  [[nodiscard]] bool is_awaited() const { return waiting_ != nullptr; }

  // Sets the result, and resumes the coroutine if it is suspended. Called at most once.
  void complete(Result<OperationResult> result);

  [[nodiscard]] bool await_ready() const { return completed(); }
  void await_suspend(std::coroutine_handle<> waiting) { waiting_ = waiting; }
  Result<OperationResult> await_resume() { return std::move(*result_); }

 private:
  Work& work_;
  std::uint32_t number_;
  std::optional<Result<OperationResult>> result_;
  std::coroutine_handle<> waiting_;
};

// A coroutine that calls the host's operations, one at a time: a request, or a portal's own work. One thread.
class Work {
 public:
  Work() = default;
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  std::uint32_t handle = 0;  // in Instance::requests; 0: not a request

  // Calls `part`, which resumes the coroutine until it ends or waits, with this as the running work.
  template <class Part>
  void run(const Part& part) {
    Work* const previous = std::exchange(Instance::current().running, this);
    part();
    Instance::current().running = previous;
  }
  void complete(Operation& operation, Result<OperationResult> result) {
    run([&] { operation.complete(std::move(result)); });
  }

  // For operations: sets the pending operation, or null.
  void set_operation(Operation* operation) { operation_ = operation; }
  [[nodiscard]] bool expired() const { return expired_; }

 protected:
  ~Work() = default;

  Operation* operation_ = nullptr;
  bool expired_ = false;
};

}  // namespace portail::wasm
