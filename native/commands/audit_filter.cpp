#include "native/commands/audit_filter.hpp"

#include <charconv>

#include "core/base/utc_text.hpp"
#include "core/exchange/document/values.hpp"

namespace portail {
namespace {

// Parses a day in UTC or an instant with its offset, into the format of records.
std::optional<std::string> read_time(std::string text) {
  constexpr std::size_t day_size = 10;
  if (text.size() == day_size) text += "T00:00:00Z";
  const auto date = check_date_time(text);
  if (!date) return std::nullopt;
  const std::size_t point = date->instant.find('.');
  const std::string seconds = date->instant.substr(0, point);
  std::string fraction = point == std::string::npos ? std::string() : date->instant.substr(point + 1);
  fraction.resize(6, '0');
  std::int64_t whole = 0;
  std::int64_t microseconds = 0;
  std::from_chars(seconds.data(), seconds.data() + seconds.size(), whole);
  std::from_chars(fraction.data(), fraction.data() + fraction.size(), microseconds);
  return utc_text({whole * 1'000'000 + microseconds});
}

bool has_text(JsonObject record, std::string_view name, std::string_view expected) {
  const auto found = member(record, name);
  return found && string_of(*found) == expected;
}

bool concerns(JsonObject record, std::int64_t mail_object) {
  const auto changes = member(record, "changes");
  const auto list = changes ? array_of(*changes) : std::nullopt;
  if (!list) return false;
  for (const auto change : *list) {
    const auto object = object_of(change);
    const auto id = object ? member(*object, "objetCourrier") : std::nullopt;
    if (id && integer_of(*id) == mail_object) return true;
  }
  return false;
}

}  // namespace

std::vector<CommandOption> audit_filter_options(AuditFilterArguments& arguments) {
  std::vector<CommandOption> options{
      {.name = "--since",
       .help = "Changes since this time: 2026-01-31 (UTC), or 2026-01-31T08:00:00+01:00",
       .field = &arguments.since},
      {.name = "--until", .help = "Changes before this time", .field = &arguments.until},
      {.name = "--subject", .help = "Changes by this subject or system user", .field = &arguments.subject},
      {.name = "--client", .help = "Changes through this client", .field = &arguments.client},
      {.name = "--object", .help = "Changes of this mail object's configuration", .field = &arguments.mail_object},
      {.name = "--action",
       .help = "Changes of this kind",
       .field = &arguments.action,
       .choices = {"update", "replace-configuration", "grants", "import"}},
      {.name = "--correlation-id",
       .help = "Changes of this request or command run",
       .field = &arguments.correlation_id}};
  for (CommandOption& option : options) option.group = "Only records";
  return options;
}

std::expected<AuditFilter, Fault> AuditFilter::make(const AuditFilterArguments& arguments) {
  AuditFilter filter(arguments);
  for (const auto& [name, argument, text] : {std::tuple{"--since", &arguments.since, &filter.since_},
                                             std::tuple{"--until", &arguments.until, &filter.until_}}) {
    if (argument->empty()) continue;
    auto time = read_time(*argument);
    if (!time) {
      return wrong_usage(std::string(name) + " must be 2026-01-31 or 2026-01-31T08:00:00+01:00, not " + *argument);
    }
    *text = std::move(*time);
  }
  return filter;
}

bool AuditFilter::matches(JsonObject record) const {
  const AuditFilterArguments& expected = arguments_;
  const auto time_element = member(record, "time");
  const std::string_view time = time_element ? string_of(*time_element).value_or("") : "";
  if (!since_.empty() && time < since_) return false;
  if (!until_.empty() && time >= until_) return false;
  if (!expected.subject.empty() && !has_text(record, "subject", expected.subject) &&
      !has_text(record, "systemUser", expected.subject)) {
    return false;
  }
  return (expected.client.empty() || has_text(record, "client", expected.client)) &&
         (expected.action.empty() || has_text(record, "action", expected.action)) &&
         (expected.correlation_id.empty() || has_text(record, "correlationId", expected.correlation_id)) &&
         (!expected.mail_object || concerns(record, *expected.mail_object));
}

}  // namespace portail
