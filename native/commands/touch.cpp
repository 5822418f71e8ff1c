#include <string>

#include "core/base/task.hpp"
#include "core/exchange/steps/swap_configurations.hpp"
#include "core/portal/records/configuration.hpp"
#include "core/storage/key.hpp"
#include "core/storage/read_value.hpp"
#include "native/commands/command.hpp"

namespace portail {
namespace {

// Stores the value of `format` once more, whatever it is: also where a change by hand made it unreadable. Returns false
// if there is none.
Task<bool> write_format_again(Context& context, KeyValueStore& store) {
  const auto format = co_await read_value(context, store, format_key);
  if (!format) co_return false;
  // If another writer has changed it meanwhile, that write has done the same.
  [[maybe_unused]] const bool swapped = co_await store.compare_and_swap(context, format_key, format, *format);
  co_return true;
}

// Gives a store with an edition another one. If `configuration` is damaged, the edition is not valid anyway.
Task<void> renew_edition(Context& context, KeyValueStore& store) {
  const auto value = co_await read_value(context, store, configuration_key);
  if (!Configurations::parse(value.value_or(""))) co_return;
  co_await swap_configurations(context, store, [&context](Configurations& configurations) -> Task<void> {
    if (auto edition = configurations.edition()) {
      edition->import = next_audit_name(context, edition->import);
      configurations.set_edition(edition);
    }
    co_return;
  });
}

// Returns false if the store is empty.
Task<bool> touch_store(Context& context, KeyValueStore& store) {
  const bool written = co_await write_format_again(context, store);
  if (written) co_await renew_edition(context, store);
  co_return written;
}

std::expected<void, Fault> touch(const SettingValues& values) {
  const std::string& text = values.text("store");
  const auto url = parse_store_url(text);
  if (!url) return wrong_usage(std::string(values.where("store")) + ": " + url.error());
  const auto store = open_store(*url, StoreAccess::serve);
  if (!store) return failure(store.error());
  CommandContext command;
  const auto written = run_ready(touch_store(command.context, **store));
  if (!written) {
    return failure("the store " + without_password(text) +
                   " cannot be written: " + command.last_warning.text_or(describe(written.error())));
  }
  if (!*written) return failure("the store " + without_password(text) + " holds no portal");
  return {};
}

}  // namespace

Command touch_command() {
  return {.name = "touch",
          .help = "Make servers and components read values again that were changed by hand",
          .settings = {"store"},
          .examples = {"portail touch --store dir:folder"},
          .run = touch};
}

}  // namespace portail
