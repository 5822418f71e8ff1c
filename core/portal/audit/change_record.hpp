// What a record of the audit says: one JSON object, with everything that an auditor asks of a change. Members that do
// not apply are null. docs/how-to/read-the-audit.md describes them; `portail audit --json` prints them as stored.
//
//   time           when, by the clock of the program that changed something, RFC 3339 in UTC
//   action         "update", "replace-configuration", "grants" or "import"
//   route          the method and the route's pattern, or the command
//   subject        who: the token's `sub`; client, the token's client; systemUser, the operating system's user
//   correlationId  what the log and the answer call the request, or what one run of a command calls itself
//   previous       the key of the record before this one (core/storage/audit_name.hpp)
//
// Any thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/time.hpp"
#include "core/json/writer.hpp"
#include "core/portal/records/configuration.hpp"
#include "core/storage/audit_name.hpp"

namespace portail {

enum class AuditAction : std::uint8_t {
  update,                 // a PUT of a mail object, also one that set what was there already
  replace_configuration,  // an import's, with --replace-configuration
  grants,                 // an import's
  import,                 // the import itself
};
[[nodiscard]] std::string_view name_of(AuditAction action);

// Who changes something. Views that outlive the change; empty where there is none.
struct Author {
  std::string_view route;
  std::string_view subject;
  std::string_view client;
  std::string_view system_user;
  std::string_view correlation_id;
};

// The members that every record begins with; the object is left open.
JsonWriter& begin_record(JsonWriter& json, AuditAction action, Instant time, const Author& author,
                         std::optional<AuditName> previous);

// "changes":[{"objetCourrier":1,"from":{…},"to":{…}}]
std::string configuration_record(AuditAction action, Instant time, const Author& author,
                                 std::optional<AuditName> previous, std::span<const ConfigurationChange> changes);

}  // namespace portail
