#include "core/storage/checked_store.hpp"

namespace portail {

Task<std::unique_ptr<Session>> CheckedStore::open(Context& context) {
  auto session = co_await target().open(context);
  if (last_ == FormatState::current) co_return session;
  const FormatState found = co_await read_format(context, *session);
  const FormatState before = last_.exchange(found);
  if (found == FormatState::newer || found == FormatState::unknown) {
    if (found != before) context.log.warn("store refused", describe(found));
    co_await std::unexpected(Failure::unavailable);
  }
  co_return session;
}

}  // namespace portail
