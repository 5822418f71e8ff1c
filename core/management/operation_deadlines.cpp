#include "core/management/operation_deadlines.hpp"

#include <cstdint>
#include <utility>

namespace portail {
namespace {

constexpr std::int64_t operation_seconds = 30;
constexpr std::int64_t scan_seconds = 600;

void set_deadline(Context& context, std::int64_t seconds) {
  context.deadline.microseconds = context.clock.now().microseconds + seconds * 1'000'000;
}

class DeadlineSession final : public ForwardingSession {
 public:
  using ForwardingSession::ForwardingSession;
  Task<void> get(Context& context, std::span<const std::string_view> keys, std::span<Value> values) override {
    set_deadline(context, operation_seconds);
    return ForwardingSession::get(context, keys, values);
  }
};

}  // namespace

Task<std::unique_ptr<Session>> OperationDeadlines::open(Context& context) {
  set_deadline(context, operation_seconds);
  co_return std::make_unique<DeadlineSession>(co_await target().open(context));
}

Task<void> OperationDeadlines::write(Context& context, std::span<const Change> changes) {
  set_deadline(context, operation_seconds);
  return target().write(context, changes);
}

Task<bool> OperationDeadlines::compare_and_swap(Context& context, std::string_view key, Value expected,
                                                std::string_view desired) {
  set_deadline(context, operation_seconds);
  return target().compare_and_swap(context, key, expected, desired);
}

Task<void> OperationDeadlines::scan(Context& context, std::string_view prefix, Visitor& visitor) {
  set_deadline(context, scan_seconds);
  return target().scan(context, prefix, visitor);
}

}  // namespace portail
