// Task<T>: a coroutine that returns a T or ends with a Failure.
//
//   Task<Bundle> find(Context&, …) { auto value = co_await session.get(context, key); … co_return bundle; }
//
// - A Task is lazy: it starts when it is awaited or started. Awaiting runs it immediately, on the caller's stack.
// - Awaiting a Task that failed ends the awaiting coroutine with the same failure; `co_await outcome(task)` returns the
//   Result instead. `co_await std::unexpected(failure)` ends the coroutine.
// - A child that completes without suspending never suspends its parent, and symmetric transfer is not used: a loop
//   of a million ready awaits needs one stack frame.
// - Destroying a Task cancels it: its locals are destroyed, children first.
// - Frames are allocated from the FrameArena of the coroutine's first parameter (for members: the second), if it
//   has one.
// - Frames are aligned for std::max_align_t: no parameter or local that lives across a co_await may need more.
// A Task and all that it awaits belong to one thread at a time.
#pragma once

#include <concepts>
#include <coroutine>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

#include "core/base/failure.hpp"
#include "core/base/frame_arena.hpp"

namespace portail {

template <class T>
class Task;

namespace detail {

// The part of a promise that does not depend on the result.
class PromiseBase {
 public:
  // Called once, when a started task ends; see Task::start.
  using Completion = void (*)(void* argument);

  std::suspend_always initial_suspend() noexcept { return {}; }

  struct FinalSuspend {
    bool await_ready() noexcept { return false; }
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> handle) noexcept {
      handle.promise().complete();
    }
    void await_resume() noexcept {}
  };
  FinalSuspend final_suspend() noexcept { return {}; }
  [[noreturn]] void unhandled_exception() noexcept { std::abort(); }

  // Called when the coroutine has returned or failed. Resumes the coroutine that awaits it.
  void complete() noexcept {
    done_ = true;
    if (waiter_) {
      PromiseBase* waiter = std::exchange(waiter_, nullptr);
      if (failed_ && !waiter_handles_failure_) {
        waiter->fail(failure_);
      } else {
        waiter->handle_.resume();
      }
    } else if (completion_) {
      std::exchange(completion_, nullptr)(completion_argument_);
    }
  }
  // Ends a suspended coroutine without resuming it; its frame lives until its Task is destroyed.
  void fail(Failure failure) noexcept {
    failure_ = failure;
    failed_ = true;
    complete();
  }

  bool done_ = false;
  bool failed_ = false;
  bool waiter_handles_failure_ = false;
  Failure failure_{};
  std::coroutine_handle<> handle_;
  PromiseBase* waiter_ = nullptr;
  Completion completion_ = nullptr;
  void* completion_argument_ = nullptr;

  // A pointer to the frame's arena, or null, precedes each frame.
  template <class... Parameters>
  static void* operator new(std::size_t size, Parameters&... parameters) {
    FrameArena* arena = nullptr;
    (find_arena(arena, parameters), ...);
    return allocate_frame(arena, size);
  }
  static void operator delete(void* frame, std::size_t size) noexcept {
    void* block = static_cast<std::byte*>(frame) - header_size;
    FrameArena* arena = *static_cast<FrameArena**>(block);
    if (arena) {
      arena->deallocate(block, size + header_size);
    } else {
      ::operator delete(block);
    }
  }

 private:
  static constexpr std::size_t header_size = alignof(std::max_align_t);

  template <class Parameter>
  static void find_arena([[maybe_unused]] FrameArena*& arena, [[maybe_unused]] Parameter& parameter) {
    if constexpr (HasFrameArena<Parameter>) {
      if (!arena) arena = &parameter.frames;
    }
  }
  static void* allocate_frame(FrameArena* arena, std::size_t size) {
    void* block = arena ? arena->allocate(size + header_size) : ::operator new(size + header_size);
    *static_cast<FrameArena**>(block) = arena;
    return static_cast<std::byte*>(block) + header_size;
  }
};

// The awaiter of std::unexpected(failure) and of a Result.
template <class T>
struct ResultAwaiter {
  Result<T> result;
  bool await_ready() const noexcept { return result.has_value(); }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> handle) noexcept {
    handle.promise().fail(result.error());
  }
  T await_resume() {
    if constexpr (!std::is_void_v<T>) return std::move(*result);
  }
};

template <class T>
struct Outcome {
  Task<T> task;
};

template <class T>
class Promise;

template <class T, bool handles_failure>
class TaskAwaiter {
 public:
  explicit TaskAwaiter(std::coroutine_handle<Promise<T>> child) : child_(child) {}
  bool await_ready() {
    child_.resume();
    return child_.promise().done_ && (handles_failure || !child_.promise().failed_);
  }
  template <class ParentPromise>
  void await_suspend(std::coroutine_handle<ParentPromise> parent) noexcept {
    PromiseBase& child = child_.promise();
    if (child.done_) {
      parent.promise().fail(child.failure_);
    } else {
      child.waiter_ = &parent.promise();
      child.waiter_handles_failure_ = handles_failure;
    }
  }
  auto await_resume() { return child_.promise().template extract<handles_failure>(); }

 private:
  std::coroutine_handle<Promise<T>> child_;
};

class AwaitTransforms : public PromiseBase {
 public:
  template <class T>
  TaskAwaiter<T, false> await_transform(Task<T>&& task) {
    return TaskAwaiter<T, false>(task.handle_);
  }
  template <class T>
  TaskAwaiter<T, false> await_transform(Task<T>& task) {
    return TaskAwaiter<T, false>(task.handle_);
  }
  template <class T>
  TaskAwaiter<T, true> await_transform(Outcome<T>&& outcome) {
    return TaskAwaiter<T, true>(outcome.task.handle_);
  }
  template <class T>
  ResultAwaiter<T> await_transform(Result<T> result) {
    return {std::move(result)};
  }
  ResultAwaiter<void> await_transform(std::unexpected<Failure> failure) { return {Result<void>(failure)}; }
  // Any other awaiter, with which a store or a host suspends.
  template <class Awaiter>
    requires requires(Awaiter& awaiter) { awaiter.await_resume(); }
  Awaiter&& await_transform(Awaiter&& awaiter) {
    return std::forward<Awaiter>(awaiter);
  }
};

template <class T>
class Promise : public AwaitTransforms {
 public:
  Task<T> get_return_object() {
    handle_ = std::coroutine_handle<Promise>::from_promise(*this);
    return Task<T>(std::coroutine_handle<Promise>::from_promise(*this));
  }
  template <class U = T>
    requires std::convertible_to<U&&, T>
  void return_value(U&& value) {
    value_.emplace(std::forward<U>(value));
  }
  void return_value(std::unexpected<Failure> failure) {
    failure_ = failure.error();
    failed_ = true;
  }

  template <bool handles_failure>
  auto extract() {
    if constexpr (handles_failure) {
      return failed_ ? Result<T>(std::unexpected(failure_)) : Result<T>(std::move(*value_));
    } else {
      return T(std::move(*value_));
    }
  }

 private:
  std::optional<T> value_;
};

template <>
class Promise<void> : public AwaitTransforms {
 public:
  Task<void> get_return_object();
  void return_void() {}

  template <bool handles_failure>
  auto extract() {
    if constexpr (handles_failure) {
      return failed_ ? Result<void>(std::unexpected(failure_)) : Result<void>();
    }
  }
};

}  // namespace detail

template <class T>
class [[nodiscard]] Task {
 public:
  using promise_type = detail::Promise<T>;

  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Task() {
    if (handle_) handle_.destroy();
  }

  // For hosts: runs until the task ends or suspends. `completion(argument)` is called when it ends, before start()
  // returns if nothing suspended; it may destroy the Task.
  void start(detail::PromiseBase::Completion completion, void* argument) {
    handle_.promise().completion_ = completion;
    handle_.promise().completion_argument_ = argument;
    handle_.resume();
  }
  [[nodiscard]] bool done() const { return handle_.promise().done_; }
  // Returns the outcome of a task that is done. Call it once only.
  Result<T> result() { return handle_.promise().template extract<true>(); }

 private:
  friend detail::AwaitTransforms;
  friend promise_type;
  explicit Task(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  std::coroutine_handle<promise_type> handle_;
};

namespace detail {
inline Task<void> Promise<void>::get_return_object() {
  handle_ = std::coroutine_handle<Promise>::from_promise(*this);
  return Task<void>(std::coroutine_handle<Promise>::from_promise(*this));
}
}  // namespace detail

// `co_await outcome(task)` returns a Result: a failure is a value, and the coroutine continues.
template <class T>
detail::Outcome<T> outcome(Task<T> task) {
  return {std::move(task)};
}

// For hosts whose store never suspends (memory, LMDB, blocking clients): runs the task to its end. A task that suspends
// is cancelled.
template <class T>
Result<T> run_ready(Task<T> task) {
  task.start([](void*) {}, nullptr);
  if (!task.done()) return std::unexpected(Failure::cancelled);
  return task.result();
}

}  // namespace portail
