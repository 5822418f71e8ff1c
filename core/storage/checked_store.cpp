#include "core/storage/checked_store.hpp"

namespace portail {

bool CheckedStore::is_refused(FormatState format) const {
  if (format == FormatState::absent) return empty_ == EmptyStore::refused;
  return format != FormatState::current;
}

Task<std::unique_ptr<Session>> CheckedStore::open(Context& context) {
  auto session = co_await target().open(context);
  if (last_.load() == FormatState::current) co_return session;
  const FormatState found = co_await read_format(context, *session);
  const auto before = last_.exchange(found);
  if (is_refused(found)) {
    if (found != before) context.log.warn("store refused", describe(found));
    co_await std::unexpected(Failure::unavailable);
  }
  co_return session;
}

}  // namespace portail
