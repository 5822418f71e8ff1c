#include "native/commands/diagnosis.hpp"

#include <algorithm>
#include <utility>

#include "core/json/writer.hpp"
#include "native/system/log.hpp"

namespace portail {

void Diagnosis::add(std::string_view check, Severity severity, std::string detail, std::string_view remedy) {
  rows_.push_back({.check = check, .severity = severity, .detail = std::move(detail), .remedy = std::string(remedy)});
}

void Diagnosis::print_table() const {
  for (const Row& row : rows_) {
    print_state_row(row.check, row.severity, state_of(row.severity), row.detail);
    if (!row.remedy.empty()) print_state_row("", row.severity, "", row.remedy);
  }
}

void Diagnosis::print_json() const {
  std::string text;
  JsonWriter json(text);
  const auto worst = std::ranges::max(rows_, {}, &Row::severity).severity;
  json.begin_object().name("status").string(state_of(worst)).name("checks").begin_object();
  for (const Row& row : rows_) {
    json.name(row.check).begin_object().name("status").string(state_of(row.severity));
    json.name("detail").raw(log_string(row.detail)).name("remedy");
    row.remedy.empty() ? json.null() : json.raw(log_string(row.remedy));
    json.end_object();
  }
  json.end_object().end_object();
  print_json_line(text);
}

std::expected<void, Fault> Diagnosis::verdict() const {
  std::string failed;
  for (const Row& row : rows_) {
    if (row.severity == Severity::error) failed.append(failed.empty() ? "" : ", ").append(row.check);
  }
  if (!failed.empty()) return failure("failed: " + failed);
  return {};
}

}  // namespace portail
