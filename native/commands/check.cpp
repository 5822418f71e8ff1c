#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "core/exchange/contents.hpp"
#include "core/exchange/document/element_reader.hpp"
#include "native/commands/check_token.hpp"
#include "native/commands/serve_setup.hpp"
#include "native/host/small_file.hpp"
#include "native/host/terminal.hpp"
#include "native/http/certificate_time.hpp"

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

void print_contents(const StoreContents& contents) {
  const auto row = [](Section section, std::uint64_t count, const std::string& rest = {}) {
    print_row(name_of(section), std::to_string(count) + rest);
  };
  row(Section::mail_objects, contents.mail_objects,
      ", " + std::to_string(contents.template_files) + " of them with a template file");
  row(Section::third_parties, contents.third_parties);
  row(Section::bundles, contents.bundles);
  row(Section::grants, contents.grants);
  print_row("audit", std::to_string(contents.audit_records) + " records");
}

std::expected<void, Fault> count(const SettingValues& values, KeyValueStore& store) {
  CommandContext command;
  const auto contents = run_ready(count_contents(command.context, store));
  if (contents) {
    print_contents(*contents);
    return {};
  }
  const std::string reason =
      contents.error() == Failure::corrupt ? "its catalogue or its grants are damaged" : "it gives no answer";
  return failure("the store " + without_password(values.text("store")) +
                 " cannot be read: " + command.remarks.text_or(reason));
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
  if (setup->tls) {
    print_row("certificate", values.text("tls-cert") + ", valid until " + day_text(setup->tls->validity().end));
  }
  if (const auto remark = remark_on_certificate(values, setup->tls.get())) tell(*remark);
  print_row("store", without_password(values.text("store")) + (setup->portal.empty ? ", empty" : ""));
  if (!setup->portal.empty) {
    if (const auto counted = count(values, *setup->portal.store); !counted) return counted;
  }
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
          .examples = {"portail check --config /etc/portail/portail.toml --show",
                       "portail check --config /etc/portail/portail.toml --token - < token.txt"},
          .run = [arguments](const SettingValues& values) { return check(values, *arguments); }};
}

}  // namespace portail
