#include "core/exchange/steps/swap_configurations.hpp"

#include <string>

#include "core/storage/key.hpp"
#include "core/storage/read_value.hpp"

namespace portail {

Task<void> swap_configurations(Context& context, KeyValueStore& store,
                               std::function<Task<void>(Configurations&)> edit) {
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
