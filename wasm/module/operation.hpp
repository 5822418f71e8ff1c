// A store operation, from the import that begins it until it is completed, or until no coroutine waits for it any more.
// A coroutine makes one, hands its number to an import, and awaits it:
//
//   Operation operation(Instance::current());
//   portail_put(store, operation.number(), …);
//   Buffer values = co_await operation;
//
// It lives in the frame of that coroutine; destroying it makes its number unknown.
#pragma once

#include <coroutine>
#include <cstdint>
#include <optional>

#include "core/base/failure.hpp"
#include "wasm/module/buffer.hpp"

namespace portail::wasm {

class RunningRequest;

// How it went: a buffer, or that compare_and_swap found another value.
struct Completed {
  bool different = false;
  Buffer values;
};

class Operation {
 public:
  // For the request that runs now. Where that one has expired, the operation has failed already: ask nothing of the
  // host (`completed`).
  Operation();
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  ~Operation();

  [[nodiscard]] std::uint32_t number() const { return number_; }
  [[nodiscard]] RunningRequest& request() const { return request_; }
  [[nodiscard]] bool completed() const { return result_.has_value(); }
  // The coroutine is suspended: the import has returned.
  [[nodiscard]] bool waits() const { return waiting_ != nullptr; }

  // Once; goes on with the coroutine, where it waits.
  void complete(Result<Completed> result);

  [[nodiscard]] bool await_ready() const { return completed(); }
  void await_suspend(std::coroutine_handle<> waiting) { waiting_ = waiting; }
  Result<Completed> await_resume() { return std::move(*result_); }

 private:
  RunningRequest& request_;
  std::uint32_t number_;
  std::optional<Result<Completed>> result_;
  std::coroutine_handle<> waiting_;
};

}  // namespace portail::wasm
