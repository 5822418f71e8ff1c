#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "native/commands/check_token.hpp"
#include "native/commands/serve_setup.hpp"
#include "native/host/small_file.hpp"
#include "native/host/terminal.hpp"

namespace portail {
namespace {

std::string shown_value(const SettingValues& values, const Setting& setting) {
  const std::string& text = values.text(setting);
  if (text.empty()) return "-";
  if (setting.kind == SettingKind::store && parse_store_url(text)) return without_password(text);
  const bool may_be_secret = setting.may_be_secret || (setting.kind == SettingKind::file && may_be_content(text));
  return may_be_secret ? "(set)" : text;
}

// Every setting in force and where it came from, a line each; of what may be a secret, only that it is set.
void show(const SettingValues& values) {
  for (const Setting& setting : setting_table) {
    if (setting.is_hidden) continue;
    const bool is_preset = values.source(setting) == SettingSource::preset;
    print_line(stdout, std::string(setting.name) + " = " + shown_value(values, setting) + "  (" +
                           (is_preset ? "default" : values.where(setting)) + ")");
  }
}

struct CheckArguments {
  std::optional<std::string> token;
  bool show = false;
};

std::expected<void, Fault> check(const SettingValues& values, const CheckArguments& arguments) {
  if (arguments.show) show(values);
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
  if (arguments.token)
    return check_token(*arguments.token, keys.keys, setup->plan.settings.tokens, *setup->portal.store);
  if (keys.keys.empty()) return failure("no key of the key set is usable: the service would not be ready");
  return {};
}

}  // namespace

Command check_command() {
  auto arguments = std::make_shared<CheckArguments>();
  return {.name = "check",
          .help = "Look at configuration, store and key set, without serving",
          .settings = all_settings(),
          .options = {{.name = "--token",
                       .help = "A token to explain, claim by claim; - reads it from standard input",
                       .field = &arguments->token},
                      {.name = "--show",
                       .help = "Print every setting in force and where it came from, secrets left out",
                       .field = &arguments->show}},
          .run = [arguments](const SettingValues& values) { return check(values, *arguments); }};
}

}  // namespace portail
