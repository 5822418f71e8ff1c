#include "native/stores/current_store.hpp"

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

class CurrentSession final : public ForwardingSession {
 public:
  CurrentSession(CurrentStore& store, std::unique_ptr<Session> target)
      : ForwardingSession(std::move(target)), store_(store) {}

  Task<void> get(Context& context, std::span<const std::string_view> keys, std::span<Value> values) override {
    if (is_current_) co_return co_await target().get(context, keys, values);
    std::vector<std::string_view> all(keys.begin(), keys.end());
    all.push_back(format_key);
    std::vector<Value> found(all.size());
    co_await target().get(context, all, found);
    // A store that nothing was imported into has none.
    if (found.back() && found.back() != current_format) {
      store_.tell(context, co_await read_format(context, target()));
      co_await std::unexpected(Failure::unavailable);
    }
    is_current_ = true;
    std::ranges::copy(std::span(found).first(keys.size()), values.begin());
  }

 private:
  CurrentStore& store_;
  bool is_current_ = false;
};

}  // namespace

Task<std::unique_ptr<Session>> CurrentStore::open(Context& context) {
  co_return std::make_unique<CurrentSession>(*this, co_await target().open(context));
}

void CurrentStore::tell(Context& context, FormatState found) {
  const std::lock_guard lock(logging_);
  if (refused_.is_due()) context.log.warn("store refused", describe(found));
}

}  // namespace portail
