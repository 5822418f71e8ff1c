#include "native/stores/format_revalidating_store.hpp"

#include <algorithm>
#include <expected>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/storage/key.hpp"

namespace portail {
namespace {

class FormatRevalidatingSession final : public ForwardingSession {
 public:
  FormatRevalidatingSession(FormatRevalidatingStore& store, std::unique_ptr<Session> target)
      : ForwardingSession(std::move(target)), store_(store) {}

  Task<void> get(Context& context, std::span<const std::string_view> keys, std::span<Value> values) override {
    // Without snapshots, the store may be emptied between two batches.
    if (is_checked_ && store_.traits().snapshots) co_return co_await target().get(context, keys, values);
    std::vector<std::string_view> all(keys.begin(), keys.end());
    all.push_back(format_key);
    std::vector<Value> found(all.size());
    co_await target().get(context, all, found);
    if (!store_.accepts(context, format_state(found.back()))) co_await std::unexpected(Failure::unavailable);
    is_checked_ = true;
    std::ranges::copy(std::span(found).first(keys.size()), values.begin());
  }

 private:
  FormatRevalidatingStore& store_;
  bool is_checked_ = false;
};

}  // namespace

Task<std::unique_ptr<Session>> FormatRevalidatingStore::open(Context& context) {
  co_return std::make_unique<FormatRevalidatingSession>(*this, co_await target().open(context));
}

Task<void> FormatRevalidatingStore::write(Context& context, std::span<const Change> changes) {
  const auto written = co_await outcome(target().write(context, changes));
  if (written || written.error() == Failure::unavailable) accepts_writes_ = written.has_value();
  co_await written;
}

Task<bool> FormatRevalidatingStore::compare_and_swap(Context& context, std::string_view key, Value expected,
                                                     std::string_view desired) {
  const auto swapped = co_await outcome(target().compare_and_swap(context, key, expected, desired));
  if (swapped || swapped.error() == Failure::unavailable) accepts_writes_ = swapped.has_value();
  co_return co_await swapped;
}

bool FormatRevalidatingStore::accepts(Context& context, FormatState found) {
  const bool is_portal = has_portal(found);
  if (is_portal && !had_portal_) had_portal_ = true;
  if (is_portal ? found != FormatState::newer_minor : found == FormatState::absent && !had_portal_) return true;
  const std::lock_guard lock(log_mutex_);
  if (log_throttle_.is_due(describe(found)))
    context.log.warn(is_portal ? "newer store" : "store refused", describe(found));
  return is_portal;
}

}  // namespace portail
