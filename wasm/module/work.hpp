// A coroutine that calls the host's operations, one at a time: a request, or a portal's own work. One thread.
#pragma once

#include <cstdint>
#include <utility>

#include "wasm/module/instance.hpp"
#include "wasm/module/operation.hpp"

namespace portail::wasm {

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
