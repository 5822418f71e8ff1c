// The port's limits, as every store checks them before it changes anything. Any thread.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>

#include "core/base/failure.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

// Whether the port has such keys. What an engine holds of others may be called otherwise.
constexpr bool is_key(std::string_view bytes) {
  return !bytes.empty() && bytes.size() <= largest_key && std::ranges::all_of(bytes, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F') || c == '_' || c == '=' ||
           c == '.' || c == '-';
  });
}

inline bool within_limits(const Change& change) {
  return !change.key.empty() && change.key.size() <= largest_key &&
         (!change.value || change.value->size() <= largest_value);
}

inline Result<void> check_limits(std::span<const Change> changes) {
  if (!std::ranges::all_of(changes, within_limits)) return std::unexpected(Failure::too_large);
  return {};
}

}  // namespace portail
