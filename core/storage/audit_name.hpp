// The names of audit records, and the reference of a value to the record of its last change. A record is written before
// the value that refers to it, and refers to the previous record. A record that no value reaches does not count: its
// change lost a race, or the program crashed between the two writes. Calls and erasures change no such value: the value
// config.audit refers to the last record of them. Pure functions, except next_audit_name; any thread.
//
//   audit.TIME.ID    a record's key: TIME in microseconds since 1970, 16 digits; ID 16 random hexadecimal digits
//   audit TAB audit.TIME.ID LF    the first line of the values `configuration` and `droits`
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/context.hpp"
#include "core/base/failure.hpp"

namespace portail {

struct AuditName {
  std::int64_t time = 0;  // microseconds since 1970, 0 to 9'999'999'999'999'999
  std::uint64_t id = 0;
  friend auto operator<=>(const AuditName&, const AuditName&) = default;
};

[[nodiscard]] std::string audit_key(AuditName name);
// Parses a key; nullopt if audit_key cannot return it.
[[nodiscard]] std::optional<AuditName> audit_name_of(std::string_view key);

// Returns the name of a new record after `previous`. Its time is now, or just after `previous` if the clock was set
// back. Keys are therefore in the order of the changes, and removal of the oldest records never makes a later one
// unreachable.
[[nodiscard]] AuditName next_audit_name(Context& context, std::optional<AuditName> previous);

// A value, split into its audit line and its content. A value that was never audited has no such line.
struct AuditedValue {
  std::optional<AuditName> last;  // the record of its last change
  std::string_view last_key;      // its key; empty if there is none
  std::string_view content;
};
[[nodiscard]] Result<AuditedValue> read_audited_value(std::string_view value);
// Returns the line before the content.
[[nodiscard]] std::string audit_line(AuditName last);
inline constexpr std::size_t audit_line_size = 46;  // bytes

}  // namespace portail
