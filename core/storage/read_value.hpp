// Reads one value of a store. Any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/storage/key_value_store.hpp"

namespace portail {

// Returns a copy of the value; nullopt if it does not exist. Fails if the store does. `key` must outlive the Task.
Task<std::optional<std::string>> read_value(Context& context, KeyValueStore& store, std::string_view key);

}  // namespace portail
