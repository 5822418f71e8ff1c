// The stored value of a fetched key set: the set, its source, and the last attempt to fetch it. All instances over a
// store share it (docs/reference/storage-layout.md). Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/auth/key_schedule.hpp"

namespace portail {

// `is_fetching`: the last fetch has not ended, or its instance did.
struct KeyRecord : KeyFetches {
  std::string_view source = {};   // a name of the location, without line breaks
  std::string_view key_set = {};  // JSON text
};

[[nodiscard]] std::string encode(const KeyRecord& record);
// Returns views of `value`; nullopt if it is not a record.
[[nodiscard]] std::optional<KeyRecord> parse_key_record(std::string_view value);

}  // namespace portail
