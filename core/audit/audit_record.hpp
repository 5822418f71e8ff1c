// The JSON object of an audit record. Members that do not apply are null. docs/how-to/read-the-audit.md describes them;
// `portail audit --json` prints them as stored.
//
//   time           the time of the change by the program's clock, RFC 3339 in UTC
//   action         "update", "replace-configuration", "grants", "import", "import-outcome", "keys", "template-file",
//                  "erasure" or "call"
//   route          the method and the route's pattern, or the command
//   subject        the token's `sub`; client, the token's client; systemUser, the operating system's user
//   correlationId  the correlation id of the request's log line and answer, or of one run of a command
//   previous       the key of the previous record (core/storage/audit_name.hpp); null in the record of an erasure or a
//                  call, which has previousCall: the key of the previous such record
//   previousHash   the hash of that record (record_hash.hpp); null if it is missing, or of an earlier version
//   salt           for the hash of this record
//
// Any thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/audit/audit_state.hpp"
#include "core/base/time.hpp"
#include "core/json/writer.hpp"
#include "core/portal/records/configuration.hpp"

namespace portail {

enum class AuditAction : std::uint8_t {
  update,                 // a PUT of a mail object, also one that changes no value
  replace_configuration,  // by an import with --replace-configuration
  grants,                 // by an import
  import,                 // the record of the import itself
  import_outcome,         // the hash of the record of an import that ended after later changes
  keys,                   // the key set was stored
  template_file,          // a template file was sent for the next import
  erasure,                // of a person's data (core/privacy/person.hpp); changes no value of the public interface
  call,                   // of the management interface; without a change of its own (core/management/call.hpp)
};
[[nodiscard]] std::string_view name_of(AuditAction action);
// Whether such records are a chain of their own, which the value config.audit names (audit_state.hpp).
[[nodiscard]] constexpr bool is_in_call_chain(AuditAction action) {
  return action == AuditAction::call || action == AuditAction::erasure;
}

// The author of a change. Views that outlive the change; empty if absent.
struct Author {
  std::string_view route = {};
  std::string_view subject = {};
  std::string_view client = {};
  std::string_view system_user = {};
  std::string_view correlation_id = {};
};

// Writes a member; null if the text is empty.
void write_text(JsonWriter& json, std::string_view name, std::string_view text);

// Writes the members that every record begins with. The object stays open.
JsonWriter& begin_record(JsonWriter& json, AuditAction action, Instant time, const Author& author,
                         const AuditLink& link);

// Returns a record with the member "changes":[{"objetCourrier":1,"from":{…},"to":{…}}].
std::string configuration_record(AuditAction action, Instant time, const Author& author, const AuditLink& link,
                                 std::span<const ConfigurationChange> changes);

}  // namespace portail
