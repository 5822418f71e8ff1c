#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/exchange/contents.hpp"
#include "core/exchange/document/element_reader.hpp"
#include "core/exchange/document/faults.hpp"
#include "core/json/writer.hpp"
#include "core/portal/records/stored_string.hpp"
#include "native/commands/check_token.hpp"
#include "native/commands/serve_setup.hpp"
#include "native/host/log.hpp"
#include "native/host/small_file.hpp"
#include "native/host/terminal.hpp"
#include "native/http/certificate_time.hpp"
#include "native/settings/key_settings.hpp"

namespace portail {
namespace {

std::string shown_value(const SettingValues& values, const Setting& setting) {
  const std::string& text = values.text(setting);
  if (text.empty()) return "-";
  if (setting.kind == SettingKind::store && parse_store_url(text)) return without_password(text);
  const bool may_be_secret = setting.may_be_secret || (setting.kind == SettingKind::file && may_be_content(text));
  return may_be_secret ? "(set)" : text;
}

struct ShownSetting {
  std::string_view name;
  std::string value;
  std::string source;
};

// Every setting in force and where it came from; of what may be a secret, only that it is set.
std::vector<ShownSetting> shown_settings(const SettingValues& values) {
  std::vector<ShownSetting> shown;
  for (const Setting& setting : setting_table) {
    if (setting.is_hidden) continue;
    const bool is_default = values.source(setting) == SettingSource::default_value;
    shown.push_back({.name = setting.name,
                     .value = shown_value(values, setting),
                     .source = is_default ? "default" : values.where(setting)});
  }
  return shown;
}

// What was looked at, in the order of looking: a row each as it comes, or one JSON object at the end.
class Findings {
 public:
  explicit Findings(bool json) : json_(json) {}

  void add(std::string_view name, Tone tone, std::string detail) {
    worst_ = std::max(worst_, tone);
    if (json_) return looks_.push_back({.name = name, .tone = tone, .detail = std::move(detail)});
    print_state_row(name, tone, word_of(tone), detail);
    std::fflush(stdout);
  }
  void add_settings(std::vector<ShownSetting> settings) {
    if (json_) return settings_.swap(settings);
    for (const ShownSetting& each : settings) {
      print_line(stdout, std::string(each.name) + " = " + each.value + "  (" + each.source + ")");
    }
  }
  // The command will fail by the first; the others are told now.
  void add_failed(std::string_view name, Fault fault) {
    add(name, Tone::bad, json_ ? fault.line : std::string());
    if (fault_) return tell(fault.line);
    fault_ = std::move(fault);
  }
  void add_remark(std::string text) {
    if (json_) return remarks_.push_back(std::move(text));
    print_line(stdout, text);
  }
  void add_contents(const StoreContents& contents) {
    if (json_) {
      contents_ = contents;
    } else {
      print_contents(contents);
    }
  }

  // Nothing more is added.
  std::expected<void, Fault> finish() {
    if (json_) print_json_line(json());
    if (fault_) return std::unexpected(std::move(*fault_));
    return {};
  }

 private:
  struct Look {
    std::string_view name;
    Tone tone;
    std::string detail;
  };

  static std::string_view word_of(Tone tone) {
    return tone == Tone::good ? "ok" : tone == Tone::doubtful ? "warning" : "failed";
  }

  static void print_contents(const StoreContents& contents) {
    const auto row = [](std::string_view name, std::uint64_t count, const std::string& rest = {}) {
      print_row(std::string("  ").append(name), "        " + std::to_string(count) + rest);
    };
    row(name_of(Section::mail_objects), contents.mail_objects,
        ", " + std::to_string(contents.template_files) + " of them with a template file");
    row(name_of(Section::third_parties), contents.third_parties);
    row(name_of(Section::bundles), contents.bundles);
    row(name_of(Section::grants), contents.grants);
    row("audit", contents.audit_records, " records");
  }

  [[nodiscard]] std::string json() const {
    std::string text;
    JsonWriter json(text);
    json.begin_object().name("status").string(word_of(worst_)).name("checks").begin_object();
    for (const Look& look : looks_) {
      json.name(look.name).begin_object().name("status").string(word_of(look.tone));
      json.name("detail").raw(log_string(look.detail)).end_object();
    }
    json.end_object().name("remarks").begin_array();
    for (const std::string& remark : remarks_) json.raw(log_string(remark));
    json.end_array();
    if (!settings_.empty()) {
      json.name("settings").begin_object();
      for (const ShownSetting& each : settings_) {
        json.name(each.name).begin_object().name("value").raw(log_string(each.value));
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
    json.end_object();
    return text;
  }

  bool json_;
  Tone worst_ = Tone::good;
  std::vector<Look> looks_;
  std::vector<std::string> remarks_;
  std::vector<ShownSetting> settings_;
  std::optional<StoreContents> contents_;
  std::optional<Fault> fault_;
};

// Without a key the service is not ready; to explain a token it takes none.
std::optional<LoadedKeySet> look_at_keys(KeyDocument& document, bool needs_one, Findings& findings) {
  auto read = read_keys(document);
  if (!read) {
    findings.add_failed("keys", read.error());
    return std::nullopt;
  }
  for (const KeyRemark& remark : read->refusals) findings.add_remark("refused: " + describe(remark));
  for (const KeyRemark& remark : read->notices) findings.add_remark("notice: " + describe(remark));
  if (needs_one && read->keys.empty()) {
    findings.add_failed("keys",
                        failure("no key of " + document.name() + " is usable: the service would not be ready").error());
    return std::move(*read);
  }
  const std::string counted = std::to_string(read->keys.size()) + " usable, " + std::to_string(read->refusals.size()) +
                              " refused: " + document.name();
  findings.add("keys", read->refusals.empty() ? Tone::good : Tone::doubtful, counted);
  return std::move(*read);
}

void look_at_certificate(const SettingValues& values, Findings& findings) {
  const auto tls = load_tls(values);
  if (!tls) return findings.add_failed("certificate", tls.error());
  if (!*tls) return;
  const auto remark = remark_on_certificate(values, tls->get());
  findings.add("certificate", remark ? Tone::doubtful : Tone::good,
               values.text("tls-cert") + ", valid until " + day_text((*tls)->validity().end));
  if (remark) tell(*remark);
}

void look_at_spans(const SettingValues& values, const ServePlan& plan, Findings& findings) {
  CommandContext command;
  const auto spans = open_spans(values, plan, command.context.log);
  if (!spans) return findings.add_failed("spans", spans.error());
  if (*spans) findings.add("spans", Tone::good, "portail-otlp.so is there; the collector was not asked");
}

// With --create the table of a store in a server is made; a folder is made by who serves from it.
StoreAccess access_for(const SettingValues& values) {
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
  return text + "; import them with a code each";
}

std::optional<OpenStore> look_at_store(const SettingValues& values, Findings& findings) {
  auto portal = open_portal(values, access_for(values));
  if (!portal) {
    findings.add_failed("store", portal.error());
    return std::nullopt;
  }
  const std::string name = without_password(values.text("store"));
  if (portal->empty) {
    findings.add("store", portal->url.scheme->lasts ? Tone::doubtful : Tone::good, name + ", empty");
    return std::move(*portal);
  }
  CommandContext command;
  const auto contents = run_ready(count_contents(command.context, *portal->store));
  if (!contents) {
    const std::string reason =
        contents.error() == Failure::corrupt ? "its catalogue or its grants are damaged" : "it gives no answer";
    findings.add_failed("store",
                        failure("the store " + name + " cannot be read: " + command.remarks.text_or(reason)).error());
    return std::nullopt;
  }
  findings.add("store", contents->shared_type_codes.empty() ? Tone::good : Tone::doubtful, name);
  findings.add_contents(*contents);
  for (const SharedTypeCode& shared : contents->shared_type_codes) findings.add_remark(describe(shared));
  return std::move(*portal);
}

struct CheckArguments {
  std::optional<std::string> token;
  bool show = false;
  bool json = false;
};

std::expected<void, Fault> check(const SettingValues& values, const CheckArguments& arguments) {
  Findings findings(arguments.json);
  if (arguments.show) findings.add_settings(shown_settings(values));
  const auto plan = plan_of(values);
  if (!plan) {
    findings.add_failed("configuration", plan.error());
    return findings.finish();
  }
  findings.add("configuration", Tone::good, {});
  const auto document = make_key_document(values, plan->keys);
  const auto keys = look_at_keys(*document, !arguments.token, findings);
  look_at_certificate(values, findings);
  look_at_spans(values, *plan, findings);
  const auto portal = look_at_store(values, findings);
  if (auto done = findings.finish(); !done) return done;
  if (!arguments.token || !keys || !portal) return {};
  return check_token(*arguments.token, keys->keys, plan->settings.tokens, *portal->store);
}

}  // namespace

Command check_command() {
  auto arguments = std::make_shared<CheckArguments>();
  return {.name = "check",
          .help = "Look at configuration, store and key set, without serving",
          .settings = all_settings(),
          .options = {{.name = "--token",
                       .help = "A token to explain, claim by claim; - reads it from standard input",
                       .field = &arguments->token,
                       .excludes = "--json"},
                      {.name = "--show",
                       .help = "Print every setting in force and where it came from, secrets left out",
                       .field = &arguments->show},
                      {.name = "--json", .help = "One JSON object instead of a table", .field = &arguments->json}},
          .examples = {"portail check --config /etc/portail/portail.toml --show",
                       "portail check --config /etc/portail/portail.toml --token - < token.txt",
                       "portail check --config /etc/portail/portail.toml --json | jq .status"},
          .run = [arguments](const SettingValues& values) { return check(values, *arguments); }};
}

}  // namespace portail
