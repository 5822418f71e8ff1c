// The port's limits, as every store checks them before it changes anything. Any thread.
#pragma once

#include <algorithm>
#include <span>

#include "core/base/failure.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

inline bool within_limits(const Change& change) {
  return !change.key.empty() && change.key.size() <= largest_key &&
         (!change.value || change.value->size() <= largest_value);
}

inline Result<void> check_limits(std::span<const Change> changes) {
  if (!std::ranges::all_of(changes, within_limits)) return std::unexpected(Failure::too_large);
  return {};
}

}  // namespace portail
