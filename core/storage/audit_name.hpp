// How a record of the audit is named, and how a value names the last change made to it. A record is put before the
// value that names it, and names the one before it in turn: what cannot be reached from a value never happened (a lost
// race, a crash between the two writes). Pure functions but for next_audit_name; any thread.
//
//   audit.TIME.ID    a record's key: TIME in microseconds since 1970, 16 digits; ID 16 hexadecimal digits by chance
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
// Nothing for a key that audit_key does not write.
[[nodiscard]] std::optional<AuditName> audit_name_of(std::string_view key);

// The name of a record that follows `previous`: now, or just after it where the clock was set back. So keys are in the
// order of the changes, and removing the oldest ones never cuts a record off from the value that leads to it.
[[nodiscard]] AuditName next_audit_name(Context& context, std::optional<AuditName> previous);

// A value's first line and the rest; a value that was never audited has no such line.
struct AuditedValue {
  std::optional<AuditName> last;
  std::string_view content;
};
[[nodiscard]] Result<AuditedValue> read_audited_value(std::string_view value);
// What stands before the content.
[[nodiscard]] std::string audit_line(AuditName last);
inline constexpr std::size_t audit_line_size = 46;  // bytes

}  // namespace portail
