// What the key sources of guests share that read one value of the store periodically. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/storage/key_value_store.hpp"

namespace portail {

// Returns a copy of the value; nullopt if it does not exist. Fails if the store does. `key` must outlive the Task.
Task<std::optional<std::string>> read_value(Context& context, KeyValueStore& store, std::string_view key);

// Returns whether fewer than `seconds` have passed since the last read. If the clock was set back, it does not count.
[[nodiscard]] bool was_read_within(std::optional<Instant> read_at, std::int64_t seconds, Instant now);

}  // namespace portail
