// Selects records of the audit, for `portail audit` and the management interface. Pure functions; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/json/value.hpp"

namespace portail {

// The values of a record's `action`, in the order of the documents.
inline constexpr std::array<std::string_view, 9> audit_actions{
    "update", "replace-configuration", "grants",  "import", "import-outcome",
    "keys",   "template-file",         "erasure", "call"};

// Empty members select every record.
struct AuditFilter {
  std::string since;    // as audit_time() returns it; this time is included
  std::string until;    // excluded
  std::string subject;  // or the system user
  std::string client;
  std::string action;
  std::string correlation_id;
  std::optional<std::int64_t> mail_object;
};

// Parses a day in UTC (2026-01-31) or a time with its offset (2026-01-31T08:00:00+01:00). Returns it in the form of the
// records' `time`, so that they compare as text; nullopt if it is neither.
std::optional<std::string> audit_time(std::string text);

bool matches(const AuditFilter& filter, JsonObject record);

}  // namespace portail
