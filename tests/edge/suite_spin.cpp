// The conformance suite over Spin's asynchronous store, in a request of its own: GET / runs it, and answers 200 if it
// passed.
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "edge/async/events.hpp"
#include "edge/http/make_handler.hpp"
#include "edge/stores/spin/spin_store.hpp"
#include "tests/edge/store_suite.hpp"

namespace portail {
namespace {

// Runs `task` without suspending the caller: while a call is pending, blocks for the host's next event. The suite's
// calls must be synchronous.
template <class T>
Result<T> run_waiting(Task<T> task) {
  edge::Events& events = edge::Events::current();
  task.start([](void*) {}, nullptr);
  while (!task.done()) {
    http3_event_t event{};
    http3_waitable_set_wait(events.wait_code() >> 4, &event);
    events.dispatch(event);
  }
  return task.result();
}

class WaitingSession final : public Session {
 public:
  explicit WaitingSession(std::unique_ptr<Session> target) : target_(std::move(target)) {}
  Task<void> get(Context& context, std::span<const std::string_view> keys, std::span<Value> values) override {
    co_await run_waiting(target_->get(context, keys, values));
  }

 private:
  std::unique_ptr<Session> target_;
};

class WaitingStore final : public KeyValueStore {
 public:
  [[nodiscard]] Traits traits() const override { return store_.traits(); }
  Task<std::unique_ptr<Session>> open(Context& context) override {
    co_return std::make_unique<WaitingSession>(co_await run_waiting(store_.open(context)));
  }
  Task<void> write(Context& context, std::span<const Change> changes) override {
    co_await run_waiting(store_.write(context, changes));
  }
  Task<bool> compare_and_swap(Context& context, std::string_view key, Value expected,
                              std::string_view desired) override {
    co_return co_await run_waiting(store_.compare_and_swap(context, key, expected, desired));
  }
  Task<void> scan(Context& context, std::string_view prefix, Visitor& visitor) override {
    co_await run_waiting(store_.scan(context, prefix, visitor));
  }

 private:
  edge::SpinStore store_{"suite"};
};

class Suite final : public Handler {
 public:
  Task<Response> handle(Context&, const Request&) override {
    Response response;
    response.status = run_store_suite() ? 200 : 500;
    co_return response;
  }
};

}  // namespace

const bool store_of_suite_waits = true;

std::unique_ptr<KeyValueStore> open_store_of_suite() { return std::make_unique<WaitingStore>(); }

std::unique_ptr<Handler> edge::make_handler(const Host&) { return std::make_unique<Suite>(); }

}  // namespace portail
