// A process of the simulation, and a request that it answers. One thread.
#pragma once

#include <chrono>
#include <coroutine>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/api/answer_cache.hpp"
#include "core/api/service.hpp"
#include "core/auth/token_cache.hpp"
#include "core/storage/edition.hpp"
#include "tests/simulation/simulation.hpp"
#include "tests/simulation/step_clock.hpp"
#include "tests/simulation/suspending_store.hpp"
#include "tests/simulation/traffic.hpp"
#include "tests/support/test_context.hpp"
#include "tests/support/test_request.hpp"

namespace portail::simulation {

// One of the processes that serve over the same store, with its own caches of tokens and answers.
struct Process {
  Process(KeyValueStore& memory, Scheduler& scheduler, const Setup& setup, const Settings& settings, KeySource& keys)
      : store(memory, scheduler, setup.traits, setup.has_revision),
        service(settings, keys, setup.has_editions ? static_cast<KeyValueStore&>(editions) : store) {}

  SuspendingStore store;
  EditionStore editions{store};
  Service service;
  BoundedTokenCache tokens{Hash32{}, 4};
  BoundedAnswerCache answers;
};

// Suspends a request until it is woken, and resumes it in the scheduler's order.
class SimulatedSuspension final : public RequestSuspension {
 public:
  explicit SimulatedSuspension(Scheduler& scheduler) : scheduler_(scheduler) {}
  ~SimulatedSuspension() override {
    if (wake_up_) wake_up_->waiter = nullptr;
  }
  SimulatedSuspension(const SimulatedSuspension&) = delete;
  SimulatedSuspension& operator=(const SimulatedSuspension&) = delete;

  void suspend(std::coroutine_handle<> coroutine, std::chrono::steady_clock::time_point) override {
    coroutine_ = coroutine;
    ++count;
  }
  void wake() override {
    if (!coroutine_) return;
    wake_up_ = std::make_shared<WakeUp>();
    wake_up_->waiter = std::exchange(coroutine_, nullptr);
    scheduler_.add(wake_up_);
  }
  [[nodiscard]] bool is_cancelled() const override { return false; }
  [[nodiscard]] bool is_suspended() const { return coroutine_ != nullptr; }

  int count = 0;  // of suspensions

 private:
  struct WakeUp final : Operation {
    WakeUp() : Operation(std::nullopt) {}
    bool act() override { return true; }
  };

  Scheduler& scheduler_;
  std::coroutine_handle<> coroutine_;
  std::shared_ptr<WakeUp> wake_up_;  // the last one
};

// A request in flight. Its context is destroyed with it, even if a store operation is pending.
struct InFlight {
  InFlight(PlannedRequest what, const StepClock& clock, Scheduler& scheduler, std::uint64_t seed)
      : planned(std::move(what)),
        began(clock.step),
        test(clock, seed),
        suspension(scheduler),
        correlation_id("run-" + std::to_string(seed)),
        request(planned.method, planned.target, planned.token.text) {
    request.header("X-Correlation-Id", correlation_id);
    if (!planned.if_match.empty()) request.header("If-Match", planned.if_match);
    if (!planned.if_none_match.empty()) request.header("If-None-Match", planned.if_none_match);
    if (planned.method == "PUT") {
      request.header("Content-Type", "application/json");
      body.emplace(scheduler, planned.body, planned.body_plan);
    }
  }

  void start(Process& process) {
    test.context.token_cache = &process.tokens;
    test.context.answer_cache = &process.answers;
    test.context.suspension = &suspension;
    view = request.view();
    if (body) view.body = &*body;
    task.emplace(serve(test.context, process.service, view));
    task->start([](void*) {}, nullptr);
  }

  PlannedRequest planned;
  Moment began;
  TestContext test;
  SimulatedSuspension suspension;
  std::string correlation_id;
  TestRequest request;
  std::optional<SuspendingBody> body;
  Request view;
  std::optional<Task<Answer>> task;
};

}  // namespace portail::simulation
