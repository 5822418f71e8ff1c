// The stored value of a fetched key set: the set, its source, and the last attempt to fetch it. All instances over a
// store share it (docs/reference/storage-layout.md). Also computes when the next attempt is due. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/time.hpp"

namespace portail {

// In seconds.
struct FetchTimes {
  std::int64_t interval = 300;     // between successful fetches
  std::int64_t min_interval = 30;  // between other fetches: for an unknown key, or after a failure
  std::int64_t timeout = 10;       // of one fetch
  std::int64_t max_age = 86'400;   // of keys since the last successful fetch; then they expire
};

struct KeyRecord {
  std::string_view source;                 // a name of the location, without line breaks
  Instant attempted_at{};                  // begin of the last attempt
  std::optional<Instant> fetched_at = {};  // end of the last successful one; absent: there is no key set
  std::uint32_t failures = 0;              // since the last success
  bool is_fetching = false;                // the last attempt has not ended, or its instance did
  std::string_view key_set = {};           // JSON text
};

[[nodiscard]] std::string encode(const KeyRecord& record);
// Returns views of `value`; nullopt if it is not a record.
[[nodiscard]] std::optional<KeyRecord> parse_key_record(std::string_view value);

// Returns when the next attempt is due: by the interval, or after failures at doubled intervals.
[[nodiscard]] Instant due_at(const KeyRecord& record, const FetchTimes& times);
// The same for a token with an unknown key, and while there are no keys.
[[nodiscard]] Instant due_for_unknown_key(const KeyRecord& record, const FetchTimes& times);
// Returns whether the record has a key set that may be used.
[[nodiscard]] bool has_valid_keys(const KeyRecord& record, const FetchTimes& times, Instant now);

}  // namespace portail
