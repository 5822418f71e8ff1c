#include "core/storage/format_checking_store.hpp"

namespace portail {

bool FormatCheckingStore::is_refused(FormatState format) const {
  if (format == FormatState::absent) return empty_policy_ == EmptyStorePolicy::refuse;
  return !is_readable(format);
}

Task<std::unique_ptr<Session>> FormatCheckingStore::open(Context& context) {
  auto session = co_await target().open(context);
  const auto last = last_state_.load();
  if (last == FormatState::current || last == FormatState::newer_minor) co_return session;
  const FormatState found = co_await read_format(context, *session);
  const auto before = last_state_.exchange(found);
  if (is_refused(found)) {
    if (found != before) context.log.warn("store refused", describe(found));
    co_await std::unexpected(Failure::unavailable);
  }
  if (found == FormatState::newer_minor && found != before) context.log.warn("newer store", describe(found));
  co_return session;
}

}  // namespace portail
