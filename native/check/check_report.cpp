#include "native/check/check_report.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <utility>

#include "core/exchange/document/element_reader.hpp"
#include "core/json/writer.hpp"
#include "native/command_line/command_line.hpp"
#include "native/system/log.hpp"

namespace portail {
namespace {

void print_contents(const StoreContents& contents) {
  const auto row = [](std::string_view name, std::uint64_t count, const std::string& rest = {}) {
    print_row(std::string("  ").append(name), "        " + std::to_string(count) + rest);
  };
  const std::string templates = ", " + std::to_string(contents.template_files) + " of them with a template file";
  for (const Section section : all_sections) {
    row(name_of(section), contents.of(section), section == Section::mail_objects ? templates : "");
  }
  row("audit", contents.audit_records, contents.audit_records == 1 ? " record" : " records");
}

}  // namespace

void CheckReport::add(std::string_view name, Severity severity, std::string detail, std::string_view remedy) {
  std::string message = std::string(name).append(": ").append(detail);
  add_check({.name = name, .severity = severity, .detail = std::move(detail), .remedy = std::string(remedy)});
  if (severity == Severity::error) fail(name, {.status = ExitStatus::failure, .message = std::move(message)});
}

void CheckReport::add_failure(std::string_view name, Fault fault) {
  add_check({.name = name, .severity = Severity::error, .detail = fault.message, .remedy = {}});
  fail(name, std::move(fault));
}

void CheckReport::add_check(Check check) {
  worst_ = std::max(worst_, check.severity);
  if (json_) return checks_.push_back(std::move(check));
  print_state_row(check.name, check.severity, state_of(check.severity), check.detail);
  if (!check.remedy.empty()) print_state_row("", check.severity, "", check.remedy);
  std::fflush(stdout);
}

// The first fault becomes the result of the command. Others are printed immediately, unless the rows are on a terminal,
// where they have the reasons.
void CheckReport::fail(std::string_view name, Fault fault) {
  failed_.append(failed_.empty() ? "" : ", ").append(name);
  if (!fault_) {
    fault_ = std::move(fault);
  } else if (!has_terminal_) {
    print_error(fault.message);
  }
}

void CheckReport::add_settings(std::vector<ShownSetting> settings) {
  if (json_) return settings_.swap(settings);
  for (const ShownSetting& each : settings) {
    print_line(stdout, std::string(each.name) + " = " + each.value + (each.unit.empty() ? "" : " ") +
                           std::string(each.unit) + "  (" + each.source + ")");
  }
}

void CheckReport::add_token(TokenExplanation explanation) {
  if (!json_) print_token(explanation);
  if (const auto refused = explanation.fault()) {
    add_failure("token", failure(*refused).error());
  } else {
    add("token", Severity::ok, "accepted");
  }
  token_ = std::move(explanation);
}

void CheckReport::add_note(std::string text) {
  if (json_) return notes_.push_back(std::move(text));
  print_line(stdout, text);
}

void CheckReport::add_contents(const StoreContents& contents) {
  if (json_) {
    contents_ = contents;
  } else {
    print_contents(contents);
  }
}

std::expected<void, Fault> CheckReport::finish() {
  if (json_) print_json_line(json());
  if (fault_ && has_terminal_) fault_->message = "check failed: " + failed_;
  if (fault_) return std::unexpected(std::move(*fault_));
  return {};
}

std::string CheckReport::json() const {
  std::string text;
  JsonWriter json(text);
  json.begin_object().name("status").string(state_of(worst_)).name("checks").begin_object();
  for (const Check& check : checks_) {
    json.name(check.name).begin_object().name("status").string(state_of(check.severity));
    json.name("detail").raw(log_string(check.detail)).name("remedy");
    check.remedy.empty() ? json.null() : json.raw(log_string(check.remedy));
    json.end_object();
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
    for (const Section section : all_sections) {
      count(name_of(section), contents_->of(section));
      if (section == Section::mail_objects) count("fichiersModeles", contents_->template_files);
    }
    count("audit", contents_->audit_records);
    json.end_object();
  }
  if (token_) append_token(json.name("token"), *token_);
  json.end_object();
  return text;
}

}  // namespace portail
