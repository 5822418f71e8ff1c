#include <algorithm>
#include <cstddef>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

#include "core/auth/permissions.hpp"
#include "core/exchange/contents.hpp"
#include "core/exchange/document/element_reader.hpp"
#include "core/exchange/document/faults.hpp"
#include "core/http/url.hpp"
#include "core/portal/records/lines.hpp"
#include "core/storage/key.hpp"
#include "native/check/check_portal.hpp"
#include "native/check/check_report.hpp"
#include "native/check/check_token.hpp"
#include "native/commands/remote_options.hpp"
#include "native/http/certificate.hpp"
#include "native/serve/serve_setup.hpp"
#include "native/settings/key_settings.hpp"
#include "native/settings/service_environment.hpp"
#include "native/system/small_file.hpp"
#include "native/system/system.hpp"
#include "native/system/terminal.hpp"

namespace portail {
namespace {

// The effect of a setting without a value: computed, or as its help has it; "-" is none.
std::string effect_of_unset(const SettingValues& values, const Setting& setting) {
  constexpr std::string_view in_help = "; default: ";
  if (setting.name == "workers") return std::to_string(worker_count(values));
  if (setting.name == "transport") return values.is_on("insecure-http") ? "loopback" : "direct";
  if (setting.name == "page-authority" && !values.text("issuer").empty()) return values.text("issuer");
  const auto found = setting.help.find(in_help);
  return found == std::string_view::npos ? "-" : std::string(setting.help.substr(found + in_help.size()));
}

std::string shown_value(const SettingValues& values, const Setting& setting) {
  const std::string& text = values.text(setting);
  if (setting.kind == SettingKind::toggle) return values.is_on(setting) ? "on" : "off";
  if (text.empty()) return effect_of_unset(values, setting);
  if (setting.kind == SettingKind::number || setting.kind == SettingKind::duration)
    return std::to_string(values.number(setting));
  if (setting.kind == SettingKind::store && parse_store_url(text)) return without_password(text);
  const bool may_be_secret = setting.may_be_secret || (setting.kind == SettingKind::file && may_be_content(text));
  return may_be_secret ? "(set)" : text;
}

// Every setting in force and its source; of a secret, only that it is set.
std::vector<ShownSetting> shown_settings(const SettingValues& values) {
  std::vector<ShownSetting> shown;
  for (const Setting& setting : setting_table) {
    if (setting.is_hidden) continue;
    const bool is_default = values.source(setting) == SettingSource::default_value;
    shown.push_back({.name = setting.name,
                     .value = shown_value(values, setting),
                     .unit = setting.unit,
                     .source = is_default ? "default" : values.where(setting)});
  }
  return shown;
}

// Without a usable key the service is not ready. To explain a token, no key is required.
std::optional<LoadedKeySet> check_keys(keys::Document& document, bool requires_key, CheckReport& report) {
  auto read = read_keys(document);
  if (!read) {
    report.add_failure("keys", read.error());
    return std::nullopt;
  }
  for (const KeyDiagnostic& diagnostic : read->refusals) report.add_note("refused: " + describe(diagnostic));
  for (const KeyDiagnostic& diagnostic : read->notices) report.add_note("notice: " + describe(diagnostic));
  if (requires_key && read->keys.empty()) {
    report.add_failure("keys",
                       failure("no key of " + document.name() + " is usable: the service would not be ready").error());
    return std::move(*read);
  }
  const std::string summary = std::to_string(read->keys.size()) + " usable, " + std::to_string(read->refusals.size()) +
                              " refused: " + document.name();
  report.add("keys", read->refusals.empty() ? Severity::ok : Severity::warning, summary);
  return std::move(*read);
}

// Fails for an issuer that clients need and that is not valid now. The last one may be a cross-certificate of a root
// that clients have, unless it issued the own certificate.
std::expected<void, Fault> check_issuers(const SettingValues& values, std::span<const ChainCertificate> chain) {
  const auto needed = std::ranges::find(chain, false, &ChainCertificate::is_needed) - chain.begin();
  for (std::ptrdiff_t i = 1; i < needed && (i == 1 || i + 1 < needed); ++i) {
    const auto valid = check_validity_now(values, chain[static_cast<std::size_t>(i)]);
    if (!valid) return failure(valid.error());
  }
  return {};
}

void check_certificate(const SettingValues& values, CheckReport& report) {
  const auto tls = load_tls(values);
  if (!tls) return report.add_failure("certificate", tls.error());
  if (!*tls) return;
  const auto issuers = check_issuers(values, (*tls)->chain());
  if (!issuers) return report.add_failure("certificate", issuers.error());
  const auto warning = certificate_warning(values, tls->get());
  const auto& [name, validity, is_needed] = first_to_expire((*tls)->chain());
  const bool has_expired = validity.end.seconds() < SystemClock().now().seconds();
  report.add("certificate", warning ? Severity::warning : Severity::ok,
             name + (has_expired ? ", expired on " : ", valid until ") + day_text(validity.end));
  if (warning) print_error(*warning);
}

void check_spans(const SettingValues& values, const ServePlan& plan, CheckReport& report) {
  CommandContext command;
  const auto spans = open_spans(values, plan, command.context.log);
  if (!spans) return report.add_failure("spans", spans.error());
  if (*spans) report.add("spans", Severity::ok, "portail-otlp.so is installed; the collector was not contacted");
}

// With --create, the check creates the table of a store in a server; a directory is created by `serve`.
StoreAccess store_access(const SettingValues& values) {
  const auto url = parse_store_url(values.text("store"));
  return values.is_on("create") && url && !url->scheme->in_folder ? StoreAccess::create : StoreAccess::check;
}

std::string describe(const SharedTypeCode& shared) {
  std::string text(name_of(Section::mail_objects));
  text += ": mail objects ";
  for (const std::uint64_t id : shared.ids) {
    if (id != shared.ids.front()) text += id == shared.ids.back() ? " and " : ", ";
    text += std::to_string(id);
  }
  text += " have the same typeObjet, ";
  text += in_quotes(unquoted(shared.code));
  return text + "; import them with distinct codes";
}

std::optional<OpenStore> check_store(const SettingValues& values, CheckReport& report) {
  auto portal = open_portal(values, store_access(values));
  if (!portal) {
    report.add_failure("store", portal.error());
    return std::nullopt;
  }
  const std::string name = without_password(values.text("store"));
  CommandContext command;
  const auto contents = run_ready(count_contents(command.context, *portal->store));
  const auto warnings = find_warnings(portal->url, StoreAccess::check);
  const auto add_warnings = [&warnings, &report] {
    for (const StoreWarning& warning : warnings) {
      const bool refuses_writes = warning.kind == StoreWarning::Kind::refuses_writes;
      report.add_note((refuses_writes ? "the store refuses writes: " : "the store may lose values: ") + warning.detail);
    }
  };
  // Keys and calls may be recorded before the first import.
  const bool has_data =
      contents && std::ranges::any_of(contents->elements, [](std::uint64_t count) { return count > 0; });
  if (portal->empty && contents && !has_data) {
    report.add("store", portal->url.scheme->is_persistent ? Severity::warning : Severity::ok, name + ", empty");
    add_warnings();
    return std::move(*portal);
  }
  if (portal->empty && contents) {
    report.add_failure("store", failure("the store " + name + " cannot be read: a stored value is missing: " +
                                        std::string(format_key) + "; import the document again, or restore a backup")
                                    .error());
    return std::nullopt;
  }
  if (!contents) {
    const std::string reason =
        contents.error() == Failure::corrupt ? "its catalogue or its grants are damaged" : "it does not answer";
    report.add_failure(
        "store", failure("the store " + name + " cannot be read: " + command.last_warning.text_or(reason)).error());
    return std::nullopt;
  }
  const bool is_ok = contents->is_complete && contents->shared_type_codes.empty() && warnings.empty();
  report.add("store", is_ok ? Severity::ok : Severity::warning, name);
  report.add_contents(*contents);
  if (!contents->is_complete) report.add_note(std::string(interrupted_import));
  for (const SharedTypeCode& shared : contents->shared_type_codes) report.add_note(describe(shared));
  add_warnings();
  return std::move(*portal);
}

struct CheckArguments {
  std::optional<std::string> url;
  std::optional<std::string> token;
  std::vector<std::string> permissions;
  bool show = false;
  bool json = false;
  RemoteArguments remote;
};

// Whether a flag, a variable or the configuration file has a setting.
bool has_settings(const SettingValues& values, bool counts_variables) {
  return std::ranges::any_of(setting_table, [&values, counts_variables](const Setting& setting) {
    const SettingSource source = values.source(setting);
    return source != SettingSource::default_value && (counts_variables || source != SettingSource::environment);
  });
}

// Checks what a server with these settings would use. `source` is the file of the service, or what replaces it;
// empty without such a file, and for those of flags or a configuration file.
void check_settings(const SettingValues& values, const std::string& source, const std::optional<std::string>& token,
                    CheckReport& report) {
  auto plan = load_serve_plan(values);
  if (!plan && !source.empty()) plan.error().message += "; read from " + source;
  if (!plan) return report.add_failure("configuration", plan.error());
  report.add("configuration", Severity::ok, source);
  const auto document = make_key_document(values, plan->keys);
  const auto keys = check_keys(*document, !token, report);
  check_certificate(values, report);
  check_spans(values, *plan, report);
  const auto portal = check_store(values, report);
  if (!token || !keys || !portal || report.has_failed()) return;
  auto explained = explain_token(*token, keys->keys, plan->settings.tokens, *portal->store);
  if (!explained) return report.add_failure("token", explained.error());
  report.add_token(std::move(*explained));
}

std::expected<RunningPortal, Fault> running_portal(const CheckArguments& arguments) {
  auto url = parse_url(*arguments.url);
  // The word may be a secret that lost its flag.
  if (!url || url->target != "/") return wrong_usage("URL: must be an http or https URL without a path");
  if (const auto checked = check_ca_file(arguments.remote.tls.ca_file); !checked)
    return std::unexpected(checked.error());
  return RunningPortal{.url = std::move(*url),
                       .ca_file = arguments.remote.tls.ca_file,
                       .token = {},
                       .permissions = arguments.permissions};
}

std::expected<void, Fault> run_check(SettingValues values, const CheckArguments& arguments) {
  if (!arguments.remote.to.empty()) {
    if (arguments.url || arguments.token || !arguments.permissions.empty() || arguments.show)
      return wrong_usage("--to: cannot be used with URL, --token, --permission or --show");
    return print_remote_state(arguments.remote, "check", arguments.json);
  }
  if (!arguments.remote.tls.ca_file.empty() && !arguments.url) return wrong_usage("--ca-file needs --to");
  for (const std::string& name : arguments.permissions) {
    if (!permission_named(name)) return wrong_usage("--permission: unknown permission " + name);
  }
  if (!arguments.permissions.empty() && !(arguments.url && arguments.token))
    return wrong_usage("--permission needs URL and --token");
  std::expected<RunningPortal, Fault> portal;
  if (arguments.url) portal = running_portal(arguments);
  if (!portal) return std::unexpected(portal.error());
  if (arguments.token) {
    auto token = read_token(*arguments.token);
    if (!token) return std::unexpected(token.error());
    portal->token = std::move(*token);
  }
  std::string source;
  if (!arguments.url && !has_settings(values, false) && access(service_environment_file, F_OK) == 0) {
    source = service_environment_file;
    if (has_settings(values, true)) {
      source.insert(0, "the environment, not ");
    } else {
      auto of_service = read_service_settings(source);
      if (!of_service) return std::unexpected(of_service.error());
      values = std::move(*of_service);
    }
  }
  CheckReport report(arguments.json);
  if (arguments.show) report.add_settings(shown_settings(values));
  // Variables may be those of other commands in this shell.
  if (!arguments.url || has_settings(values, false)) check_settings(values, source, portal->token, report);
  if (arguments.url && !report.has_wrong_usage()) check_portal(*portal, report);
  return report.finish();
}

}  // namespace

Command check_command() {
  auto arguments = std::make_shared<CheckArguments>();
  Command command{
      .name = "check",
      .help =
          "Check the settings, by default those of the Debian package's service, with certificate, key set and "
          "store, without serving; with URL a running portal",
      .settings = all_settings(),
      .options = {{.name = "URL",
                   .help = "A running portal to ask as a client does, without a path; the settings are checked too if "
                           "a flag or the configuration file has any",
                   .field = &arguments->url},
                  {.name = "--token",
                   .help = "A token to explain, claim by claim, and to try at URL; - reads it from standard input",
                   .field = &arguments->token},
                  {.name = "--permission",
                   .help = "A permission that the token must have at URL; repeatable",
                   .field = &arguments->permissions},
                  {.name = "--show",
                   .help = "Print every effective setting with its unit and source, without secrets",
                   .field = &arguments->show},
                  {.name = "--json", .help = "One JSON object instead of a table", .field = &arguments->json}},
      .examples = {"portail check", "portail check --config /etc/portail/portail.toml --show",
                   "portail check --config /etc/portail/portail.toml --token - < token.txt",
                   "portail check --config /etc/portail/portail.toml --json | jq .status",
                   "portail check https://portal.example",
                   "portail check https://portal.example --token - --permission PortailClients.Dashboard.Host < "
                   "token.txt"},
      .run = [arguments](const SettingValues& values) { return run_check(values, *arguments); }};
  add_remote_options(command.options, arguments->remote).needs.clear();
  return command;
}

}  // namespace portail
