// Changes the value `configuration` concurrently with PUTs. One thread at a time.
#pragma once

#include <string>

#include "core/base/context.hpp"
#include "core/base/task.hpp"
#include "core/portal/records/configuration.hpp"
#include "core/storage/key.hpp"
#include "core/storage/key_value_store.hpp"
#include "core/storage/read_value.hpp"

namespace portail {

// Reads, awaits edit(Configurations&) -> Task<void>, and swaps; retries after a concurrent PUT.
template <class Edit>
Task<void> swap_configurations(Context& context, KeyValueStore& store, Edit edit) {
  // Each lost race is an accepted PUT; so many in a row mean that the store is overloaded.
  constexpr int max_attempts = 1000;
  for (int attempt = 0; attempt < max_attempts; ++attempt) {
    const auto value = co_await read_value(context, store, configuration_key);
    Configurations configurations = co_await Configurations::parse(value.value_or(""));
    co_await edit(configurations);
    const std::string desired = configurations.encode();
    if (desired == value.value_or("")) co_return;
    if (co_await store.compare_and_swap(context, configuration_key, value, desired)) co_return;
  }
  co_await std::unexpected(Failure::unavailable);
}

}  // namespace portail
