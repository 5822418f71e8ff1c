#include <span>
#include <string>

#include "core/base/task.hpp"
#include "core/storage/key.hpp"
#include "native/commands/command.hpp"

namespace portail {
namespace {

// Stores the value of `format` once more, whatever it is: also where a change by hand made it unreadable. Returns false
// if there is none.
Task<bool> write_format_again(Context& context, KeyValueStore& store) {
  const auto session = co_await store.open(context);
  Value format;
  co_await session->get(context, std::span(&format_key, 1), std::span(&format, 1));
  if (!format) co_return false;
  // If another writer has changed it meanwhile, that write has done the same.
  [[maybe_unused]] const bool swapped = co_await store.compare_and_swap(context, format_key, format, *format);
  co_return true;
}

std::expected<void, Fault> touch(const SettingValues& values) {
  const std::string& text = values.text("store");
  const auto url = parse_store_url(text);
  if (!url) return wrong_usage(std::string(values.where("store")) + ": " + url.error());
  const auto store = open_store(*url, StoreAccess::serve);
  if (!store) return failure(store.error());
  CommandContext command;
  const auto written = run_ready(write_format_again(command.context, **store));
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
          .help = "Move the revision of a dir: store, after its files were changed by hand",
          .settings = {"store"},
          .examples = {"portail touch --store dir:folder"},
          .run = touch};
}

}  // namespace portail
