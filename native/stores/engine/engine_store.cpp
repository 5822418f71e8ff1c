#include "native/stores/engine/engine_store.hpp"

#include <algorithm>
#include <expected>
#include <map>
#include <ranges>
#include <span>
#include <string_view>
#include <vector>

#include "core/storage/limits.hpp"

namespace portail {

Task<void> EngineStore::write(Context& context, std::span<const Change> changes) {
  co_await check_limits(changes);
  if (changes.empty()) co_return;
  if (co_await apply(context, changes) == Written::lost) co_await find(context, changes);
}

Task<bool> EngineStore::compare_and_swap(Context& context, std::string_view key, Value expected,
                                         std::string_view desired) {
  const Change change{key, desired};
  co_await check_limits(std::span(&change, 1));
  const Written swapped = co_await swap(context, key, expected, desired);
  if (swapped == Written::lost) co_await find(context, std::span(&change, 1));
  co_return swapped != Written::no;
}

// Fails where what the changes come to is not there, or may be lost again.
Task<void> EngineStore::find(Context& context, std::span<const Change> changes) {
  std::map<std::string_view, Value> wanted;
  for (const Change& change : changes) wanted.insert_or_assign(change.key, change.value);
  const auto keys = std::ranges::to<std::vector>(std::views::keys(wanted));
  std::vector<Value> values(keys.size());
  auto session = co_await open(context);
  co_await session->get(context, keys, values);
  if (!std::ranges::equal(values, std::views::values(wanted))) co_await std::unexpected(Failure::unavailable);
  session.reset();  // its connection may be wanted
  // What is seen may be on one machine only. A value that is swapped for itself is a write behind all that was seen.
  const auto kept = std::ranges::find_if(wanted, [](const auto& entry) { return entry.second.has_value(); });
  if (kept == wanted.end()) co_await std::unexpected(Failure::unavailable);
  const auto& [key, value] = *kept;
  if (co_await swap(context, key, value, *value) != Written::yes) co_await std::unexpected(Failure::unavailable);
}

}  // namespace portail
