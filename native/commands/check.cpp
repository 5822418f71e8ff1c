#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

#include "core/exchange/contents.hpp"
#include "core/exchange/document/element_reader.hpp"
#include "core/exchange/document/faults.hpp"
#include "core/json/writer.hpp"
#include "core/portal/records/stored_string.hpp"
#include "native/commands/check_token.hpp"
#include "native/commands/remote_options.hpp"
#include "native/commands/serve_setup.hpp"
#include "native/http/certificate_time.hpp"
#include "native/settings/key_settings.hpp"
#include "native/system/log.hpp"
#include "native/system/small_file.hpp"
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

struct ShownSetting {
  std::string_view name;
  std::string value;
  std::string_view unit;
  std::string source;
};

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

// The results of the checks, in their order: printed as rows immediately, or as one JSON object at the end.
class CheckReport {
 public:
  explicit CheckReport(bool json) : json_(json) {}

  void add(std::string_view name, Severity severity, std::string detail) {
    worst_ = std::max(worst_, severity);
    if (json_) return checks_.push_back({.name = name, .severity = severity, .detail = std::move(detail)});
    print_state_row(name, severity, state_of(severity), detail);
    std::fflush(stdout);
  }
  void add_settings(std::vector<ShownSetting> settings) {
    if (json_) return settings_.swap(settings);
    for (const ShownSetting& each : settings) {
      print_line(stdout, std::string(each.name) + " = " + each.value + (each.unit.empty() ? "" : " ") +
                             std::string(each.unit) + "  (" + each.source + ")");
    }
  }
  // The first fault becomes the result of the command. Others are printed immediately, unless the rows are on a
  // terminal, where they have the reasons.
  void add_failure(std::string_view name, Fault fault) {
    add(name, Severity::error, fault.message);
    failed_ += (failed_.empty() ? "" : ", ") + std::string(name);
    if (!fault_) {
      fault_ = std::move(fault);
    } else if (!has_terminal_) {
      print_error(fault.message);
    }
  }
  void add_token(TokenExplanation explanation) {
    if (explanation.fault()) worst_ = Severity::error;
    token_ = std::move(explanation);
  }
  void add_note(std::string text) {
    if (json_) return notes_.push_back(std::move(text));
    print_line(stdout, text);
  }
  void add_contents(const StoreContents& contents) {
    if (json_) {
      contents_ = contents;
    } else {
      print_contents(contents);
    }
  }

  [[nodiscard]] bool has_failed() const { return fault_.has_value(); }

  // Prints the rest and returns the first fault. Call it last.
  std::expected<void, Fault> finish() {
    if (json_) {
      print_json_line(json());
    } else if (token_) {
      print_token(*token_);
    }
    if (fault_ && has_terminal_) fault_->message = "check failed: " + failed_;
    if (fault_) return std::unexpected(std::move(*fault_));
    if (const auto refused = token_ ? token_->fault() : std::nullopt) return failure(*refused);
    return {};
  }

 private:
  struct Check {
    std::string_view name;
    Severity severity;
    std::string detail;
  };

  static void print_contents(const StoreContents& contents) {
    const auto row = [](std::string_view name, std::uint64_t count, const std::string& rest = {}) {
      print_row(std::string("  ").append(name), "        " + std::to_string(count) + rest);
    };
    row(name_of(Section::mail_objects), contents.mail_objects,
        ", " + std::to_string(contents.template_files) + " of them with a template file");
    row(name_of(Section::third_parties), contents.third_parties);
    row(name_of(Section::bundles), contents.bundles);
    row(name_of(Section::grants), contents.grants);
    row("audit", contents.audit_records, contents.audit_records == 1 ? " record" : " records");
  }

  [[nodiscard]] std::string json() const {
    std::string text;
    JsonWriter json(text);
    json.begin_object().name("status").string(state_of(worst_)).name("checks").begin_object();
    for (const Check& check : checks_) {
      json.name(check.name).begin_object().name("status").string(state_of(check.severity));
      json.name("detail").raw(log_string(check.detail)).end_object();
    }
    json.end_object().name("remarks").begin_array();
    for (const std::string& note : notes_) json.raw(log_string(note));
    json.end_array();
    if (!settings_.empty()) {
      json.name("settings").begin_object();
      for (const ShownSetting& each : settings_) {
        json.name(each.name).begin_object().name("value").raw(log_string(each.value));
        if (!each.unit.empty()) json.name("unit").string(each.unit);
        json.name("source").raw(log_string(each.source)).end_object();
      }
      json.end_object();
    }
    if (contents_) {
      const auto count = [&json](std::string_view name, std::uint64_t value) {
        json.name(name).integer(static_cast<std::int64_t>(value));
      };
      json.name("contents").begin_object();
      count(name_of(Section::mail_objects), contents_->mail_objects);
      count("fichiersModeles", contents_->template_files);
      count(name_of(Section::third_parties), contents_->third_parties);
      count(name_of(Section::bundles), contents_->bundles);
      count(name_of(Section::grants), contents_->grants);
      count("audit", contents_->audit_records);
      json.end_object();
    }
    if (token_) append_token(json.name("token"), *token_);
    json.end_object();
    return text;
  }

  bool json_;
  bool has_terminal_ = !json_ && isatty(STDOUT_FILENO) == 1;
  Severity worst_ = Severity::ok;
  std::vector<Check> checks_;
  std::vector<std::string> notes_;
  std::vector<ShownSetting> settings_;
  std::optional<StoreContents> contents_;
  std::optional<TokenExplanation> token_;
  std::optional<Fault> fault_;
  std::string failed_;  // names of failed checks
};

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

void check_certificate(const SettingValues& values, CheckReport& report) {
  const auto tls = load_tls(values);
  if (!tls) return report.add_failure("certificate", tls.error());
  if (!*tls) return;
  const auto warning = certificate_warning(values, tls->get());
  report.add("certificate", warning ? Severity::warning : Severity::ok,
             values.text("tls-cert") + ", valid until " + day_text((*tls)->validity().end));
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
  if (portal->empty) {
    report.add("store", portal->url.scheme->is_persistent ? Severity::warning : Severity::ok, name + ", empty");
    return std::move(*portal);
  }
  CommandContext command;
  const auto contents = run_ready(count_contents(command.context, *portal->store));
  if (!contents) {
    const std::string reason =
        contents.error() == Failure::corrupt ? "its catalogue or its grants are damaged" : "it does not answer";
    report.add_failure(
        "store", failure("the store " + name + " cannot be read: " + command.last_warning.text_or(reason)).error());
    return std::nullopt;
  }
  report.add("store", contents->shared_type_codes.empty() ? Severity::ok : Severity::warning, name);
  report.add_contents(*contents);
  for (const SharedTypeCode& shared : contents->shared_type_codes) report.add_note(describe(shared));
  return std::move(*portal);
}

struct CheckArguments {
  std::optional<std::string> token;
  bool show = false;
  bool json = false;
  RemoteArguments remote;
};

std::expected<void, Fault> run_check(const SettingValues& values, const CheckArguments& arguments) {
  if (!arguments.remote.to.empty()) return print_remote_state(arguments.remote, "check", arguments.json);
  CheckReport report(arguments.json);
  if (arguments.show) report.add_settings(shown_settings(values));
  const auto plan = load_serve_plan(values);
  if (!plan) {
    report.add_failure("configuration", plan.error());
    return report.finish();
  }
  report.add("configuration", Severity::ok, {});
  const auto document = make_key_document(values, plan->keys);
  const auto keys = check_keys(*document, !arguments.token, report);
  check_certificate(values, report);
  check_spans(values, *plan, report);
  const auto portal = check_store(values, report);
  if (arguments.token && keys && portal && !report.has_failed()) {
    auto explained = explain_token(*arguments.token, keys->keys, plan->settings.tokens, *portal->store);
    if (!explained) return std::unexpected(explained.error());
    report.add_token(std::move(*explained));
  }
  return report.finish();
}

}  // namespace

Command check_command() {
  auto arguments = std::make_shared<CheckArguments>();
  Command command{
      .name = "check",
      .help = "Check configuration, store and key set without serving",
      .settings = all_settings(),
      .options = {{.name = "--token",
                   .help = "A token to explain, claim by claim; - reads it from standard input",
                   .field = &arguments->token},
                  {.name = "--show",
                   .help = "Print every effective setting with its unit and source, without secrets",
                   .field = &arguments->show},
                  {.name = "--json", .help = "One JSON object instead of a table", .field = &arguments->json}},
      .examples = {"portail check --config /etc/portail/portail.toml --show",
                   "portail check --config /etc/portail/portail.toml --token - < token.txt",
                   "portail check --config /etc/portail/portail.toml --json | jq .status"},
      .run = [arguments](const SettingValues& values) { return run_check(values, *arguments); }};
  add_remote_options(command.options, arguments->remote);
  return command;
}

}  // namespace portail
