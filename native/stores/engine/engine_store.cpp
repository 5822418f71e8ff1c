#include "native/stores/engine/engine_store.hpp"

#include <algorithm>
#include <expected>
#include <map>
#include <ranges>
#include <span>
#include <string_view>
#include <vector>

#include "core/storage/key_value_store.hpp"

namespace portail::engine {

Task<void> Store::write(Context& context, std::span<const Change> changes) {
  co_await check_limits(changes);
  if (changes.empty()) co_return;
  if (co_await apply(context, changes) == WriteOutcome::unknown) co_await confirm(context, changes);
}

Task<bool> Store::compare_and_swap(Context& context, std::string_view key, Value expected, std::string_view desired) {
  const Change change{key, desired};
  co_await check_limits(std::span(&change, 1));
  const WriteOutcome outcome = co_await swap(context, key, expected, desired);
  if (outcome == WriteOutcome::unknown) co_await confirm(context, std::span(&change, 1));
  co_return outcome != WriteOutcome::mismatch;
}

// Succeeds if the store holds the result of the changes, durably; otherwise fails.
Task<void> Store::confirm(Context& context, std::span<const Change> changes) {
  std::map<std::string_view, Value> final_values;
  for (const Change& change : changes) final_values.insert_or_assign(change.key, change.value);
  const auto keys = std::ranges::to<std::vector>(std::views::keys(final_values));
  std::vector<Value> values(keys.size());
  auto session = co_await open(context);
  co_await session->get(context, keys, values);
  if (!std::ranges::equal(values, std::views::values(final_values))) co_await std::unexpected(Failure::unavailable);
  session.reset();  // releases its connection for the swap
  // A read may show a state that only one machine has. Swapping a value for itself is a write after that state.
  const auto kept = std::ranges::find_if(final_values, [](const auto& entry) { return entry.second.has_value(); });
  if (kept == final_values.end()) co_await std::unexpected(Failure::unavailable);
  const auto& [key, value] = *kept;
  if (co_await swap(context, key, value, *value) != WriteOutcome::done) {
    co_await std::unexpected(Failure::unavailable);
  }
}

}  // namespace portail::engine
