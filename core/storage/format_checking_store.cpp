#include "core/storage/format_checking_store.hpp"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

namespace portail {
namespace {

// Checks the store again after a batch without any value: it may have been emptied.
class FormatCheckingSession final : public ForwardingSession {
 public:
  FormatCheckingSession(FormatCheckingStore& store, std::unique_ptr<Session> target)
      : ForwardingSession(std::move(target)), store_(store) {}

  Task<void> get(Context& context, std::span<const std::string_view> keys, std::span<Value> values) override {
    co_await target().get(context, keys, values);
    if (std::ranges::any_of(values, [](const Value& value) { return value.has_value(); })) co_return;
    co_await store_.check(context, co_await read_format(context, target()));
  }

 private:
  FormatCheckingStore& store_;
};

}  // namespace

Result<void> FormatCheckingStore::check(Context& context, FormatState found) {
  const auto before = last_state_.exchange(found);
  if (has_portal(found)) had_portal_ = true;
  if (has_portal(found) ||
      (found == FormatState::absent && empty_policy_ == EmptyStorePolicy::accept && !had_portal_)) {
    if (found == FormatState::newer_minor && found != before) context.log.warn("newer store", describe(found));
    return {};
  }
  if (found != before) context.log.warn("store refused", describe(found));
  return std::unexpected(Failure::unavailable);
}

Task<std::unique_ptr<Session>> FormatCheckingStore::open(Context& context) {
  auto session = co_await target().open(context);
  const auto last = last_state_.load();
  if (!last || !has_portal(*last)) co_await check(context, co_await read_format(context, *session));
  co_return std::make_unique<FormatCheckingSession>(*this, std::move(session));
}

}  // namespace portail
