// The limits of keys and values, which every store checks before a write. Any thread.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>

#include "core/base/failure.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

// Returns whether `bytes` is a valid key. An engine may hold other entries with other names.
constexpr bool is_key(std::string_view bytes) {
  return !bytes.empty() && bytes.size() <= max_key_size && std::ranges::all_of(bytes, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F') || c == '_' || c == '=' ||
           c == '.' || c == '-';
  });
}

// Returns whether a store can have the key, by its size.
inline bool key_within_limits(std::string_view key) { return !key.empty() && key.size() <= max_key_size; }

inline bool within_limits(const Change& change) {
  return key_within_limits(change.key) && (!change.value || change.value->size() <= max_value_size);
}

inline Result<void> check_limits(std::span<const Change> changes) {
  if (!std::ranges::all_of(changes, within_limits)) return std::unexpected(Failure::too_large);
  return {};
}

}  // namespace portail
