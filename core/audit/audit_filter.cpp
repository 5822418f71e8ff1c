#include "core/audit/audit_filter.hpp"

#include <charconv>

#include "core/base/time.hpp"
#include "core/json/reader.hpp"
#include "core/portal/values.hpp"

namespace portail {
namespace {

bool concerns(JsonObject record, std::int64_t mail_object) {
  const auto changes = member(record, "changes");
  const auto list = changes ? array_of(*changes) : std::nullopt;
  if (!list) return false;
  for (const auto change : *list) {
    const auto object = object_of(change);
    if (object && integer_member(*object, "objetCourrier") == mail_object) return true;
  }
  return false;
}

}  // namespace

std::optional<std::string> audit_time(std::string text) {
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

bool matches(const AuditFilter& filter, JsonObject record) {
  const std::string_view time = string_member(record, "time").value_or("");
  if (!filter.since.empty() && time < filter.since) return false;
  if (!filter.until.empty() && time >= filter.until) return false;
  if (!filter.subject.empty() && string_member(record, "subject") != filter.subject &&
      string_member(record, "systemUser") != filter.subject) {
    return false;
  }
  return (filter.client.empty() || string_member(record, "client") == filter.client) &&
         (filter.action.empty() || string_member(record, "action") == filter.action) &&
         (filter.correlation_id.empty() || string_member(record, "correlationId") == filter.correlation_id) &&
         (!filter.mail_object || concerns(record, *filter.mail_object));
}

}  // namespace portail
