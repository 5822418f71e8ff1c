#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "native/commands/check_token.hpp"
#include "native/commands/serve_setup.hpp"
#include "native/host/terminal.hpp"

namespace portail {
namespace {

std::expected<void, Fault> check(const SettingValues& values, const std::optional<std::string>& token) {
  const auto setup = set_up(values, StoreAccess::check);
  if (!setup) return std::unexpected(setup.error());
  const LoadedKeySet& keys = *setup->keys;
  for (const KeyRemark& remark : keys.refusals) print_line(stdout, "refused: " + describe(remark));
  for (const KeyRemark& remark : keys.notices) print_line(stdout, "notice: " + describe(remark));
  print_row("configuration", "in order");
  print_row("key set", std::to_string(keys.keys.size()) + " usable, " + std::to_string(keys.refusals.size()) +
                           " refused: " + setup->key_document->name());
  print_row("store", without_password(values.text("store")) + (setup->portal.empty ? ", empty" : ""));
  std::fflush(stdout);
  if (token) return check_token(*token, keys.keys, setup->plan.settings.tokens, *setup->portal.store);
  if (keys.keys.empty()) return failure("no key of the key set is usable: the service would not be ready");
  return {};
}

}  // namespace

Command check_command() {
  auto token = std::make_shared<std::optional<std::string>>();
  return {.name = "check",
          .help = "Look at configuration, store and key set, without serving",
          .settings = all_settings(),
          .options = {{.name = "--token",
                       .help = "A token to explain, claim by claim; - reads it from standard input",
                       .field = token.get()}},
          .run = [token](const SettingValues& values) { return check(values, *token); }};
}

}  // namespace portail
