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
    if (is_checked_) co_return co_await target().get(context, keys, values);
    std::vector<std::string_view> all(keys.begin(), keys.end());
    all.push_back(format_key);
    std::vector<Value> found(all.size());
    co_await target().get(context, all, found);
    // An empty store has no `format`.
    if (found.back() && found.back() != current_format) {
      const FormatState format = format_state(found.back());
      store_.log_state(context, format);
      if (!is_readable(format)) co_await std::unexpected(Failure::unavailable);
    }
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

void FormatRevalidatingStore::log_state(Context& context, FormatState found) {
  const std::lock_guard lock(log_mutex_);
  if (!log_throttle_.is_due()) return;
  context.log.warn(is_readable(found) ? "newer store" : "store refused", describe(found));
}

}  // namespace portail
