// Changes the value `configuration` concurrently with PUTs. One thread at a time.
#pragma once

#include <functional>

#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/portal/records/configuration.hpp"
#include "core/storage/key_value_store.hpp"

namespace portail {

// Reads, awaits `edit`, and swaps; retries after a concurrent PUT.
Task<void> swap_configurations(Context& context, KeyValueStore& store, std::function<Task<void>(Configurations&)> edit);

}  // namespace portail
