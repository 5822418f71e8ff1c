// Reads values of a store: one, or one that is stored in parts. Any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

// Returns a copy of the value; nullopt if it does not exist. Fails if the store does. `key` must outlive the Task.
Task<std::optional<std::string>> read_value(Context& context, KeyValueStore& store, std::string_view key);

// Values of several keys, which are numbered from 0 (docs/reference/storage-layout.md, "Keys"). Part 0 or another value
// has their number, which makes it the head.

using PartKey = std::function<std::string(std::uint32_t part)>;

// Returns the keys of the stored parts from `first` on, up to the first one that does not exist. The last part is
// first: if a removal in this order is interrupted, another call finds the rest, also if the head no longer has its
// number. A head that is a part is removed after all others. Reads each of the parts.
Task<std::vector<std::string>> stored_parts(Context& context, KeyValueStore& store, std::uint32_t first,
                                            PartKey key_of);

}  // namespace portail
