// The options of `portail audit` that select records. One thread.
#pragma once

#include <expected>
#include <vector>

#include "core/audit/audit_filter.hpp"
#include "native/command_line/command_line.hpp"

namespace portail {

// Options that set `filter` to the arguments as typed. It must outlive them.
std::vector<CommandOption> audit_filter_options(AuditFilter& filter);

// Returns the filter of these arguments. A fault is wrong usage.
std::expected<AuditFilter, Fault> read_audit_filter(AuditFilter arguments);

}  // namespace portail
