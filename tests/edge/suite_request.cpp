// GET / runs the suite, and answers 200 if it passed.
#include "tests/edge/suite_request.hpp"

#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "edge/http/make_handler.hpp"
#include "tests/edge/store_suite.hpp"

namespace portail {
namespace {

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
  explicit WaitingStore(std::unique_ptr<KeyValueStore> target) : target_(std::move(target)) {}
  [[nodiscard]] Traits traits() const override { return target_->traits(); }
  Task<std::unique_ptr<Session>> open(Context& context) override {
    co_return std::make_unique<WaitingSession>(co_await run_waiting(target_->open(context)));
  }
  Task<void> write(Context& context, std::span<const Change> changes) override {
    co_await run_waiting(target_->write(context, changes));
  }
  Task<bool> compare_and_swap(Context& context, std::string_view key, Value expected,
                              std::string_view desired) override {
    co_return co_await run_waiting(target_->compare_and_swap(context, key, expected, desired));
  }
  Task<void> scan(Context& context, std::string_view prefix, Visitor& visitor) override {
    co_await run_waiting(target_->scan(context, prefix, visitor));
  }

 private:
  std::unique_ptr<KeyValueStore> target_;
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

std::unique_ptr<KeyValueStore> make_waiting(std::unique_ptr<KeyValueStore> store) {
  return std::make_unique<WaitingStore>(std::move(store));
}

std::unique_ptr<Handler> edge::make_handler(const Host&) { return std::make_unique<Suite>(); }

}  // namespace portail
